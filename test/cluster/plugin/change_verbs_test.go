package plugin

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	diff "gomodules.xyz/jsonpatch/v2"
	"sigs.k8s.io/yaml"
)

// verb is one way to bring a change to the cluster.
type verb struct {
	name string
	// start are the arguments of kubectl for the file that the object comes from.
	start []string
	// send brings a step to the cluster.
	send func(c *cell, s step)
	// whole is true when files are sent, which have to say all of the spec.
	whole bool
	// narrow is true when the verb can say a number of replicas and nothing else.
	narrow bool
	// anew is true when each step makes an object of its own: a revision was cut for
	// nothing before it.
	anew bool
}

var verbs = []verb{
	{name: "apply", start: []string{"apply"}, whole: true, send: sendFile("apply")},
	{name: "apply --server-side", start: []string{"apply", "--server-side"}, whole: true, send: sendFile("apply", "--server-side")},
	{name: "create", start: []string{"create"}, whole: true, anew: true, send: (*cell).createAnew},
	{name: "replace", start: []string{"create"}, whole: true, send: sendFile("replace")},
	{name: "edit", start: []string{"create"}, send: (*cell).runEdit},
	{name: "patch --type=merge", start: []string{"create"}, send: (*cell).mergePatch},
	{name: "patch --type=json", start: []string{"create"}, send: (*cell).jsonPatch},
	{name: "scale", start: []string{"create"}, narrow: true, send: (*cell).runScale},
}

// whyUnsaid tells why a verb or a version cannot say a step, empty where they can.
func whyUnsaid(ch change, s step, v verb, version string) string {
	switch {
	case v.narrow && s.replicas == 0:
		return "kubectl scale says replicas and nothing else"
	case ch.start.inVersion(version) == "" && v.whole:
		return ch.unsaid + ", and a file has to say all of the spec"
	case s.patch.inVersion(version) == "":
		return ch.unsaid
	default:
		return ""
	}
}

// writeFile writes what a user of this version would have in a file.
func (c *cell) writeFile(name string) string { return c.fileWith(name, nil) }

func (c *cell) fileWith(name string, annotations map[string]any) string {
	var spec map[string]any
	decodeJSON(c.t, c.sent, &spec)
	metadata := map[string]any{"name": name}
	if annotations != nil {
		metadata["annotations"] = annotations
	}
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": "gati.dev/" + c.version, "kind": c.change.kind.name, "metadata": metadata, "spec": spec,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	path := filepath.Join(c.t.TempDir(), "file.yaml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		c.t.Fatal(err)
	}
	return path
}

func sendFile(args ...string) func(*cell, step) {
	return func(c *cell, _ step) { c.runKubectl(append(args, "-f", c.writeFile(c.name))...) }
}

// createAnew creates what exists, which is refused and leaves it alone, and then
// the same under another name.
func (c *cell) createAnew(step) {
	// The controller may write the status meanwhile; what users write counts here.
	before := c.readObject("v1").GetGeneration()
	out, ok := env.Kubectl(c.t.Context(), "", "-n", c.namespace, "create", "-f", c.writeFile(c.name))
	if ok || !strings.Contains(out, "already exists") {
		c.t.Errorf("kubectl create of what exists says %q, want that it already exists", out)
	}
	if now := c.readObject("v1").GetGeneration(); now != before {
		c.t.Errorf("kubectl create changed an existing object: generation %d, was %d", now, before)
	}
	c.name += "-x"
	c.runKubectl("create", "-f", c.writeFile(c.name))
}

func (c *cell) mergePatch(s step) {
	c.runKubectl("patch", c.resourceName(), c.name, "--type=merge", "-p", `{"spec":`+s.patch.inVersion(c.version)+`}`)
}

// jsonPatch sends the operations that lead from the live object to the changed
// one, element by element.
func (c *cell) jsonPatch(s step) {
	live, err := json.Marshal(map[string]any{"spec": c.readObject(c.version).Object["spec"]})
	if err != nil {
		c.t.Fatal(err)
	}
	changed, err := jsonpatch.MergePatch(live, []byte(`{"spec":`+s.patch.inVersion(c.version)+`}`))
	if err != nil {
		c.t.Fatal(err)
	}
	operations, err := diff.CreatePatch(live, changed)
	if err != nil {
		c.t.Fatal(err)
	}
	text, err := json.Marshal(append([]diff.Operation{}, operations...))
	if err != nil {
		c.t.Fatal(err)
	}
	c.runKubectl("patch", c.resourceName(), c.name, "--type=json", "-p", string(text))
}

func (c *cell) runScale(s step) {
	c.runKubectl("scale", c.resourceName(), c.name, fmt.Sprintf("--replicas=%d", s.replicas))
}

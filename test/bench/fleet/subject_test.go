package fleet

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "gati.dev/gati/api/v1"
)

// The resources that the subjects create.
var (
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	revisions   = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "controllerrevisions"}
	services    = schema.GroupVersionResource{Version: "v1", Resource: "services"}
	configMaps  = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	handlers    = v1.GroupVersion.WithResource("gatihandlers")
)

// subject is one way to bring workloads to a cluster.
type subject struct {
	name string
	// make returns what a client creates for the workload of a name.
	make func(name string) ([]*unstructured.Unstructured, error)
	// children are the resources that follow, and how many of each a workload has. The
	// first is the one that people wait for.
	children []children
	// parent is the resource that the controller watches, empty without one.
	parent schema.GroupVersionResource
	// pid returns the process that makes them, 0 if the client does.
	pid func() int
}

type children struct {
	of    schema.GroupVersionResource
	count int
}

// set is what a handler without a route leads to.
var set = []children{{deployments, 1}, {services, 2}, {configMaps, 1}, {revisions, 1}}

// firstVersion is that of new handlers.
const firstVersion = "v1.0.0"

// handler is measured: a Canary handler with one pod.
const handler = `
apiVersion: gati.dev/v1
kind: GatiHandler
metadata: {name: NAME, namespace: NAMESPACE}
spec:
  path: /NAME
  image: app:` + firstVersion + `
  replicas: 1
  rollout: {strategy: Canary, steps: [{weight: 50, pause: 1s}, {weight: 100}]}
`

// gatiSubject returns Gati as a subject.
func gatiSubject(pid func() int, ns string) subject {
	return subject{name: "gati", parent: handlers, children: set, pid: pid, make: func(name string) ([]*unstructured.Unstructured, error) {
		return decodeObjects(fillTemplate(handler, name, ns))
	}}
}

// bareSubject returns a client that creates the children of a handler itself.
func bareSubject(t *testing.T, ns string) subject {
	t.Helper()
	pattern := runExpand(t, fillTemplate(handler, "NAME", "NAMESPACE"))
	return subject{name: bareClient, children: set, pid: func() int { return 0 }, make: func(name string) ([]*unstructured.Unstructured, error) {
		return decodeObjects(fillTemplate(pattern, name, ns))
	}}
}

// deploymentsAlone returns a client that creates nothing but Deployments.
func deploymentsAlone(t *testing.T, ns string) subject {
	t.Helper()
	whole := bareSubject(t, ns)
	return subject{name: "Deployments alone", children: set[:1], pid: whole.pid, make: func(name string) ([]*unstructured.Unstructured, error) {
		all, err := whole.make(name)
		return slices.DeleteFunc(all, func(o *unstructured.Unstructured) bool { return o.GetKind() != "Deployment" }), err
	}}
}

// peerSubject returns another controller: its parent is a template with NAME and NAMESPACE.
func peerSubject(template string, child schema.GroupVersionResource, pid int, ns string) (subject, error) {
	text, err := os.ReadFile(template)
	if err != nil {
		return subject{}, err
	}
	return subject{name: template, children: []children{{child, 1}}, pid: func() int { return pid }, make: func(name string) ([]*unstructured.Unstructured, error) {
		return decodeObjects(fillTemplate(string(text), name, ns))
	}}, nil
}

// runExpand returns what "kubectl gati expand" prints of a handler, and a revision as
// large as Gati's own, which expand does not print.
func runExpand(t *testing.T, handler string) string {
	t.Helper()
	lower := strings.NewReplacer("NAMESPACE", "place", "NAME", "pattern")
	cmd := exec.Command(env.Cluster.Tools().Plugin, "expand", "-f", "-")
	cmd.Stdin = strings.NewReader(lower.Replace(handler))
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("kubectl gati expand: %v\n%s", err, &said)
	}
	all, err := decodeObjects(string(out))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("pattern", "NAME", "place", "NAMESPACE").Replace(string(out))
	for _, o := range all {
		if o.GetKind() != "Deployment" {
			continue
		}
		template, _, err := unstructured.NestedMap(o.Object, "spec", "template")
		if err != nil {
			t.Fatal(err)
		}
		revision := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apps/v1", "kind": "ControllerRevision", "revision": int64(1), "data": template,
			"metadata": map[string]any{"name": "bare-pattern", "namespace": "place"},
		}}
		raw, err := revision.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		text += "\n---\n" + strings.NewReplacer("pattern", "NAME", "place", "NAMESPACE").Replace(string(raw))
	}
	return text
}

func fillTemplate(text, name, ns string) string {
	return strings.NewReplacer("NAMESPACE", ns, "NAME", name).Replace(text)
}

// decodeObjects reads the objects of a manifest.
func decodeObjects(text string) (out []*unstructured.Unstructured, err error) {
	for _, part := range strings.Split(text, "\n---\n") {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(part), &o.Object); err != nil {
			return nil, fmt.Errorf("%w in\n%s", err, part)
		}
		if len(o.Object) > 0 {
			out = append(out, o)
		}
	}
	return out, nil
}

package plugin

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/test/support/repository"
)

// childKinds are the kinds that gati-webhook writes for handlers and modules, besides
// records.
const childKinds = "deployments,services,configmaps,horizontalpodautoscalers,poddisruptionbudgets,networkpolicies,controllerrevisions"

// readChildren returns what tells the states of each child of a namespace apart, by its
// name as kubectl has it: the hash of what gati-webhook has applied.
func readChildren(t *testing.T, ns string) map[string]string {
	t.Helper()
	var list struct {
		Items []struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
			Metadata   struct {
				Name            string            `json:"name"`
				ResourceVersion string            `json:"resourceVersion"`
				Annotations     map[string]string `json:"annotations"`
			} `json:"metadata"`
		} `json:"items"`
	}
	text := env.Must(t, "", "-n", ns, "get", childKinds, "-l", v1.LabelManagedBy+"="+v1.ManagedBy, "-o", "json")
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, item := range list.Items {
		name := strings.ToLower(item.Kind)
		if group, _, grouped := strings.Cut(item.APIVersion, "/"); grouped {
			name += "." + group
		}
		state := item.Metadata.Annotations[v1.AnnotationApplied]
		if item.Kind == "Service" {
			// While pods are replaced under one version its selector is a wider one, and at
			// the end what it was before.
			state += " " + item.Metadata.ResourceVersion
		}
		out[name+"/"+item.Metadata.Name] = state
	}
	return out
}

// changedNames returns the names of objects that only one state has, or that differ. Revisions
// beyond the limit of the history, and the ConfigMaps that they alone needed, go some
// time after an apply, and because of those before it.
func changedNames(before, after map[string]string) []string {
	var out []string
	for name, was := range before {
		now, there := after[name]
		past := strings.HasPrefix(name, "controllerrevision.apps/") || strings.HasPrefix(name, "configmap/")
		if now != was && (there || !past) {
			out = append(out, name)
		}
	}
	for name := range after {
		if _, had := before[name]; !had {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// assertDiffAgrees holds that the children that diff names are those that the apply of a file
// then changes, and that diff has nothing to say afterwards.
func assertDiffAgrees(t *testing.T, ns, file string, names ...string) {
	t.Helper()
	before := readChildren(t, ns)
	runGati(t, "diff", "-f", file, "-n", ns)
	said := runGati(t, "diff", "-f", file, "-n", ns, "-o", "name")
	want := strings.Fields(said.out)
	slices.Sort(want)
	if code := map[bool]int{true: 1, false: 0}[len(want) > 0]; said.code != code {
		t.Fatalf("exit code %d, want %d: %s", said.code, code, said.errs)
	}
	env.Must(t, "", "-n", ns, "apply", "-f", file)
	runGati(t, append([]string{"status", "-n", ns, "--for=healthy", "--timeout", patience}, names...)...).assertResult(t, 0)
	if diff := cmp.Diff(want, changedNames(before, readChildren(t, ns)), emptyIsNil); diff != "" {
		t.Errorf("%s (-diff said,+apply changed):\n%s", file, diff)
	}
	runGati(t, "diff", "-f", file, "-n", ns).assertResult(t, 0, "nothing changes")
}

var emptyIsNil = cmp.Transformer("nil", func(list []string) []string { return append([]string{}, list...) })

// TestDiffAgreesWithApply holds that of each sample, in its short form of every second;
// "make soak NAME=diffAgreesWithApply" has all.
func TestDiffAgreesWithApply(t *testing.T) {
	t.Parallel()
	samples, err := filepath.Glob(repository.Path("manifests", "samples", "*.yaml"))
	if err != nil || len(samples) == 0 {
		t.Fatal("no samples", err)
	}
	chosen := soak.Share(t, "diffAgreesWithApply", 2)
	for i, sample := range samples {
		if !chosen() {
			continue
		}
		t.Run(filepath.Base(sample), func(t *testing.T) {
			t.Parallel()
			ns := fmt.Sprintf("diff-%d", i)
			env.Namespace(t, ns, "gati.dev/image=registry.example.com/app:v1.0.0")
			text, err := os.ReadFile(sample)
			if err != nil {
				t.Fatal(err)
			}
			// Some name the namespace default, which may have no image.
			file := filepath.Join(t.TempDir(), filepath.Base(sample))
			if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(text), "namespace: default", "namespace: "+ns)), 0o600); err != nil {
				t.Fatal(err)
			}
			assertDiffAgrees(t, ns, file)
		})
	}
}

// TestDiffOfAFileWithItsNamespace holds that a file is tried as a whole: it may make its
// namespace, annotate one that is there, or change what it is annotated with.
func TestDiffOfAFileWithItsNamespace(t *testing.T) {
	t.Parallel()
	const manifest = `
apiVersion: v1
kind: Namespace
metadata: {name: %[1]s, annotations: {gati.dev/image: registry.example.com/app:%[2]s}}
---
apiVersion: gati.dev/v1
kind: GatiHandler
metadata: {name: users, namespace: %[1]s}
spec: {path: /users, version: v1, healthCheck: {interval: 1s}}
---
apiVersion: gati.dev/v1alpha1
kind: GatiHandler
metadata: {name: orders, namespace: %[1]s}
spec: {handlerPath: /orders, version: v1}
---
apiVersion: gati.dev/v1
kind: GatiModule
metadata: {name: db, namespace: %[1]s}
spec: {type: node, moduleName: db}
`
	write := func(t *testing.T, ns, tag string) string {
		t.Helper()
		file := filepath.Join(t.TempDir(), "app.yaml")
		if err := os.WriteFile(file, fmt.Appendf(nil, manifest, ns, tag), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for name, tc := range map[string]struct{ prepare func(t *testing.T, ns string) }{
		"made":      {func(*testing.T, string) {}},
		"annotated": {func(t *testing.T, ns string) { t.Helper(); env.Namespace(t, ns) }},
		"changed": {func(t *testing.T, ns string) {
			t.Helper()
			env.Namespace(t, ns)
			env.Must(t, "", "apply", "-f", write(t, ns, "v1.0.0"))
			runGati(t, "status", "-n", ns, "--for=healthy", "--timeout", patience).assertResult(t, 0)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := "diff-namespace-" + name
			tc.prepare(t, ns)
			assertDiffAgrees(t, ns, write(t, ns, "v2.0.0"))
		})
	}
}

// TestDiffOfEdits holds it of edits that are generated, one after another: five, and
// in its long form fifty.
func TestDiffOfEdits(t *testing.T) {
	t.Parallel()
	const ns = "edits"
	env.Namespace(t, ns)
	rounds := soak.Pick("diffOfEdits", 50, 5)
	dice := rand.New(rand.NewPCG(8, 50)) //nolint:gosec // the same edits each time
	h := map[string]any{
		"apiVersion": "gati.dev/v1", "kind": "GatiHandler", "metadata": map[string]any{"name": "users"},
		"spec": map[string]any{"path": "/users", "version": "v1.0.0", "image": "registry.example.com/users:1", "replicas": 2},
	}
	file := filepath.Join(t.TempDir(), "users.yaml")
	for round := range rounds {
		what := "creates it"
		if round > 0 {
			what = editSpec(dice, h["spec"].(map[string]any), round)
		}
		text, err := yaml.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		t.Logf("round %d: %s", round, what)
		assertDiffAgrees(t, ns, file, "users")
	}
}

// editSpec changes a spec somehow, and says how.
func editSpec(dice *rand.Rand, spec map[string]any, round int) string {
	edits := map[string]func(){
		"a version":      func() { spec["version"] = fmt.Sprintf("v1.0.%d", round) },
		"an image":       func() { spec["image"] = fmt.Sprintf("registry.example.com/users:%d", 1+dice.IntN(3)) },
		"replicas":       func() { spec["replicas"] = 1 + dice.IntN(4) },
		"a port":         func() { spec["port"] = 3000 + dice.IntN(3) },
		"a path":         func() { spec["path"] = fmt.Sprintf("/users/%d", dice.IntN(3)) },
		"an environment": func() { spec["env"] = []any{map[string]any{"name": "LEVEL", "value": fmt.Sprint(dice.IntN(3))}} },
		"no environment": func() { delete(spec, "env") },
		"resources": func() {
			spec["resources"] = map[string]any{"requests": map[string]any{"cpu": []string{"5m", "0.5", "100m"}[dice.IntN(3)], "memory": "64Mi"}}
		},
		"a check":        func() { spec["healthCheck"] = map[string]any{"path": fmt.Sprintf("/live%d", dice.IntN(2))} },
		"no check":       func() { delete(spec, "healthCheck") },
		"labels of pods": func() { spec["pod"] = map[string]any{"labels": map[string]any{"team": fmt.Sprint("t", dice.IntN(2))}} },
		"a deadline":     func() { spec["rollout"] = map[string]any{"progressDeadline": fmt.Sprintf("%dm", 5+dice.IntN(5))} },
		"a limit":        func() { spec["versions"] = map[string]any{"historyLimit": 5 + dice.IntN(5)} },
		"modules":        func() { spec["modules"] = []any{"db"} },
		"nothing":        func() {},
		"no modules":     func() { delete(spec, "modules") },
	}
	names := make([]string, 0, len(edits))
	for name := range edits {
		names = append(names, name)
	}
	slices.Sort(names)
	name := names[dice.IntN(len(names))]
	edits[name]()
	return name
}

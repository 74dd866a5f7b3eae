package expand_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/rollout"
)

// The corpus holds what clusters hold: a spec as it is stored, the revision that
// was cut for it, the pod template that its Deployment has, and a handler's intent.
// Each is a folder of its own. The corpus only grows: an entry is the promise that no
// later release rolls such pods, or ends a rejection or pin.
const (
	corpus       = "testdata/corpus"
	entrySpec    = "spec.yaml"
	entryCut     = "revision.yaml"
	entryRunning = "template.yaml"
	entryIntent  = "intent"
)

// corpusFacts are those of the clusters that the corpus comes from.
var corpusFacts = facts.Facts{Namespace: "default", NamespaceImage: "registry.example.com/shop:v7", HTTPRouteServed: true}

// TestCorpus holds that every spec of the corpus leads to the revision that was
// cut for it, and that revision to the template that runs. A failure means that
// an upgrade would roll the pods of users who changed nothing: mend the code, not
// the corpus.
func TestCorpus(t *testing.T) {
	for _, name := range entries(t) {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(corpus, name)
			obj, kept := stored(t, dir), revisionIn(t, dir)
			if inputs := inputsOf(t, obj); inputs != kept.Inputs {
				t.Fatalf("the spec now has the inputs %s, its revision was cut for %s", inputs, kept.Inputs)
			}
			fresh := cut(t, obj)
			fresh.Inputs = kept.Inputs
			found, ok := expand.FindRevision([]expand.Revision{kept}, fresh, obj)
			if !ok {
				t.Fatal(expand.CheckInputs(kept, fresh, obj))
			}
			var want corev1.PodTemplateSpec
			read(t, filepath.Join(dir, entryRunning), &want)
			got := find[*appsv1.Deployment](t, planOf(t, obj, found)).Spec.Template
			if diff := cmp.Diff(encoded(t, want), encoded(t, got)); diff != "" {
				t.Errorf("another template than the one that runs (-runs +planned):\n%s", diff)
			}
		})
	}
}

// TestCorpusIntents holds that every handler of the corpus has the intent that was
// stored for it. A failure means that an upgrade would forget rejections and pins, and
// start rejected rollouts again: mend the code, not the corpus.
func TestCorpusIntents(t *testing.T) {
	for _, name := range entries(t) {
		dir := filepath.Join(corpus, name)
		h, ok := stored(t, dir).(*v1.GatiHandler)
		if !ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile(filepath.Join(dir, entryIntent))
			if err != nil {
				t.Fatal(err)
			}
			if _, earlier := intentFor(t, h, revisionIn(t, dir).Name); earlier != string(want) {
				t.Errorf("its intent is now %s, %s is stored", earlier, want)
			}
		})
	}
}

func intentFor(t *testing.T, h *v1.GatiHandler, revision string) (intent, earlier string) {
	t.Helper()
	resolved, errs := defaulting.ResolveHandler(&h.Spec, corpusFacts)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return rollout.IntentFor(resolved, revision)
}

// entries are the folders of the corpus.
func entries(t *testing.T) []string {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(corpus, "*", entrySpec))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("the corpus is empty: %v", err)
	}
	for i, path := range dirs {
		dirs[i] = filepath.Base(filepath.Dir(path))
	}
	return dirs
}

// stored reads the one object of an entry, as strictly as a manifest is read: a
// field that is gone from the API is a failure.
func stored(t *testing.T, dir string) client.Object {
	t.Helper()
	docs := decoded(t, filepath.Join(dir, entrySpec))
	if len(docs) != 1 || docs[0].Foreign {
		t.Fatalf("%s does not hold one handler or module", dir)
	}
	return docs[0].Object
}

func revisionIn(t *testing.T, dir string) expand.Revision {
	t.Helper()
	var cr appsv1.ControllerRevision
	read(t, filepath.Join(dir, entryCut), &cr)
	revision, err := expand.ReadRevision(&cr, stored(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	return revision
}

func inputsOf(t *testing.T, obj client.Object) string {
	t.Helper()
	switch o := obj.(type) {
	case *v1.GatiHandler:
		return expand.HandlerInputs(&o.Spec, corpusFacts)
	case *v1.GatiModule:
		return expand.ModuleInputs(&o.Spec, corpusFacts)
	}
	t.Fatalf("%T has no inputs", obj)
	return ""
}

func read(t *testing.T, path string, into any) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(raw, into); err != nil {
		t.Fatalf("%s: %v", path, strings.TrimSpace(err.Error()))
	}
}

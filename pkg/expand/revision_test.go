package expand_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
)

// What a ControllerRevision gives back is what was frozen, and a plan made of it
// is the plan made of the original: an upgrade rolls no pod.
func TestRevisionRoundTrip(t *testing.T) {
	for _, o := range owners(t, 60) {
		cut := cut(t, o)
		stored, err := json.Marshal(revisionObject(t, o, cut))
		if err != nil {
			t.Fatal(err)
		}
		var cr appsv1.ControllerRevision
		if err := json.Unmarshal(stored, &cr); err != nil {
			t.Fatal(err)
		}
		read, err := expand.ReadRevision(&cr, o)
		if err != nil {
			t.Fatal(err)
		}
		if !equality.Semantic.DeepEqual(cut, read) {
			t.Fatalf("(-cut +read):\n%s", cmp.Diff(encoded(t, cut), encoded(t, read)))
		}
		if read.Inputs != cr.Labels[v1.LabelInputs] {
			t.Fatalf("label %q, inputs %q", cr.Labels[v1.LabelInputs], read.Inputs)
		}
		if diff := cmp.Diff(text(t, planOf(t, o, cut).Objects), text(t, planOf(t, o, read).Objects)); diff != "" {
			t.Fatalf("another plan from the stored revision:\n%s", diff)
		}
	}
}

// TestRevisionDataSurvivesPatches holds that the frozen data has the same bytes after a patch
// of the API server. A patch decodes the object to maps and encodes it anew; other bytes are
// refused as a change of immutable data, and an orphaning delete then never ends.
func TestRevisionDataSurvivesPatches(t *testing.T) {
	for _, o := range owners(t, 60) {
		stored := revisionObject(t, o, cut(t, o))
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(stored)
		if err != nil {
			t.Fatal(err)
		}
		var patched appsv1.ControllerRevision
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, &patched); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(stored.Data.Raw), string(patched.Data.Raw)); diff != "" {
			t.Fatalf("the data of %s changes in a patch (-stored +patched):\n%s", stored.Name, diff)
		}
	}
}

// A template is used byte for byte although the derived defaults have changed
// since.
func TestStoredTemplateIsUsedAsItIs(t *testing.T) {
	h := builders.MakeHandler("a").Obj()
	r := revisionOf(t, h)
	r.Template.Spec.Containers[0].TerminationMessagePath = "/of/an/older/release"
	r.Template.Spec.TerminationGracePeriodSeconds = ptr[int64](17)
	d := find[*appsv1.Deployment](t, planOf(t, h, r))
	want := *r.Template.DeepCopy()
	want.Labels[v1.LabelWorkload] = v1.WorkloadMain
	if diff := cmp.Diff(want, d.Spec.Template); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r.Template.Labels[v1.LabelWorkload] != "" {
		t.Error("the revision's own template was changed")
	}
}

func TestReadRevisionRefusesWhatIsNone(t *testing.T) {
	cr := &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "x"}, Data: runtime.RawExtension{Raw: []byte("nonsense")}}
	_, err := expand.ReadRevision(cr, builders.MakeHandler("a").Obj())
	if err == nil || !strings.Contains(err.Error(), "ControllerRevision n/x does not hold a pod template") {
		t.Errorf("error %v", err)
	}
}

func TestNumbersOfRevisions(t *testing.T) {
	have := []expand.Revision{{Version: "v1", Number: 1}, {Version: "v1", Number: 4}, {Version: "v2", Number: 2}}
	tests := map[string]struct {
		version string
		want    int64
	}{"first of a version": {"v3", 1}, "after the last": {"v1", 5}, "of its own version": {"v2", 3}}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			h := builders.MakeHandler("a").Version(tc.version).Obj()
			resolved, _ := defaulting.ResolveHandler(&h.Spec, cluster)
			if got := expand.NewHandlerRevision(h, resolved, "0123456789abcdef", 1, have).Number; got != tc.want {
				t.Errorf("number %d, want %d", got, tc.want)
			}
		})
	}
}

func TestSuperfluous(t *testing.T) {
	revisions := []expand.Revision{
		{Name: "v2r1", Sequence: 2, Number: 1}, {Name: "v1r1", Sequence: 1, Number: 1},
		{Name: "v3r1", Sequence: 3, Number: 1}, {Name: "v2r2", Sequence: 2, Number: 2},
	}
	tests := map[string]struct {
		inUse []string
		limit int
		want  []string
	}{
		"all idle, all kept":               {nil, 10, nil},
		"all idle, none kept":              {nil, 0, []string{"v3r1", "v2r2", "v2r1", "v1r1"}},
		"the oldest go":                    {nil, 2, []string{"v2r1", "v1r1"}},
		"what is in use does not count":    {[]string{"v3r1"}, 2, []string{"v1r1"}},
		"what is in use stays, though old": {[]string{"v1r1"}, 1, []string{"v2r2", "v2r1"}},
		"all in use":                       {[]string{"v1r1", "v2r1", "v2r2", "v3r1"}, 0, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			inUse := map[string]bool{}
			for _, n := range tc.inUse {
				inUse[n] = true
			}
			var got []string
			for _, r := range expand.SuperfluousRevisions(revisions, inUse, tc.limit) {
				got = append(got, r.Name)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The ConfigMaps of earlier revisions stay while their pods may run, each once.
func TestConfigMapsOfKeptRevisions(t *testing.T) {
	h := builders.MakeHandler("a").Version("v2").Obj()
	resolved, _ := defaulting.ResolveHandler(&h.Spec, cluster)
	running := expand.NewHandlerRevision(h, resolved, "0123456789abcdef", 2, nil)
	kept := []expand.Revision{running, {ConfigName: "handler-a-old", Config: map[string]string{"A": "1"}}, {ConfigName: "handler-a-old", Config: map[string]string{"A": "1"}}}
	var got []string
	for _, o := range expand.HandlerAlone(h, resolved, running, kept, nil).Objects {
		if cm, ok := o.(*corev1.ConfigMap); ok {
			got = append(got, cm.Name)
		}
	}
	if diff := cmp.Diff([]string{running.ConfigName, "handler-a-old"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// planOf expands an owner with a given revision.
func planOf(t *testing.T, o any, r expand.Revision) expand.Plan {
	t.Helper()
	switch o := o.(type) {
	case *v1.GatiHandler:
		resolved, _ := defaulting.ResolveHandler(&o.Spec, cluster)
		return expand.HandlerAlone(o, resolved, r, nil, nil)
	case *v1.GatiModule:
		resolved, _ := defaulting.ResolveModule(o.Name, &o.Spec, cluster)
		return expand.Module(o, resolved, r, nil, []int32{*resolved.Spec.Port}, nil)
	}
	t.Fatalf("%T has no plan", o)
	return expand.Plan{}
}

package target

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/target"
	"gati.dev/gati/pkg/target/kubernetes"
)

// Inspect, Changes (kubectl gati diff) and Preview (the dry run of admission) foretell what
// Apply does, from an empty namespace to a plan that loses an object.
func TestApplyIsForetold(t *testing.T) {
	tests := map[string]func(*world){
		"nothing is there": func(w *world) { w.deleteAll() },
		"all is there":     func(*world) {},
		"an object of ours was deleted": func(w *world) {
			w.must(w.admin.Delete(w.context, findPlanned[*corev1.Service](w)))
		},
		"another template": func(w *world) {
			editDeployment(w, func(d *appsv1.Deployment) { d.Spec.Template.Labels["team"] = "others" })
		},
		"a field less": func(w *world) {
			editDeployment(w, func(d *appsv1.Deployment) { d.Spec.Template.Spec.NodeSelector = nil })
		},
		"drift of a field that is ours": func(w *world) {
			service := findPlanned[*corev1.Service](w)
			w.must(w.admin.Patch(w.context, service, client.RawPatch("application/merge-patch+json",
				[]byte(`{"spec":{"selector":{"app":"theirs"}}}`)), client.FieldOwner(intruder)))
		},
		"what others added": func(w *world) {
			w.must(w.admin.Patch(w.context, findPlanned[*corev1.ConfigMap](w), client.RawPatch("application/merge-patch+json",
				[]byte(`{"metadata":{"annotations":{"example.com/note":"theirs"}}}`)), client.FieldOwner(intruder)))
		},
		"an object that is planned no more": func(w *world) {
			w.plan = slices.DeleteFunc(w.plan, func(o client.Object) bool { _, is := o.(*corev1.Service); return is })
		},
		"an object of somebody else": func(w *world) {
			cm := findPlanned[*corev1.ConfigMap](w)
			w.must(w.admin.Delete(w.context, cm))
			w.foreignConfigMap(cm.Name, nil)
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, fullHandler().Obj(), &corev1.ConfigMapList{}, &corev1.ServiceList{})
			w.mustApply(w.plan...)
			change(w)
			w.target = kubernetes.New(w.ours, w.ours, w.clock, func() []client.ObjectList {
				return []client.ObjectList{&corev1.ConfigMapList{}, &corev1.ServiceList{}}
			})
			foretold, refused := w.previewChanges()
			w.wire.takeCounts()
			inspected, err := w.target.Inspect(w.context, w.owner, target.Plan{Objects: w.plan})
			w.must(err)
			if requests := w.wire.takeCounts(); len(requests) > 0 {
				t.Errorf("Inspect wrote: %v", requests)
			}
			out, err := w.target.Apply(w.context, w.owner, target.Plan{Objects: w.plan})
			w.must(err)
			written := sortedWrites(out.Writes)
			if diff := cmp.Diff(written, sortedWrites(inspected.Writes)); diff != "" {
				t.Errorf("Inspect (-Apply +Inspect):\n%s", diff)
			}
			if diff := cmp.Diff(written, w.sortedChanges(foretold)); diff != "" {
				t.Errorf("Changes (-Apply +Changes):\n%s", diff)
			}
			for _, c := range out.Children {
				if got := refused[c.Kind+" "+c.Name]; fmt.Sprint(got) != fmt.Sprint(c.Problem) {
					t.Errorf("%s %s: Preview says %v, Apply %v", c.Kind, c.Name, got, c.Problem)
				}
			}
		})
	}
}

// previewChanges returns what Changes says of the plan, and Preview's answers by object.
func (w *world) previewChanges() ([]kubernetes.Change, map[string]error) {
	w.t.Helper()
	changes, err := kubernetes.Changes(w.context, w.admin, scheme.Scheme, w.owner, w.plan, []client.ObjectList{&corev1.ConfigMapList{}, &corev1.ServiceList{}})
	w.must(err)
	preview := kubernetes.NewPreview(w.admin)
	answers := map[string]error{}
	for _, obj := range w.plan {
		kinds, _, err := scheme.Scheme.ObjectKinds(obj)
		w.must(err)
		answers[kinds[0].Kind+" "+obj.GetName()] = preview.Check(w.context, w.owner, obj)
	}
	return changes, answers
}

// sortedChanges writes changes as Apply tells its writes, and checks that each planned object
// is afterwards as the change says, but for what the server fills in.
func (w *world) sortedChanges(changes []kubernetes.Change) []string {
	w.t.Helper()
	out := []string{}
	for _, c := range changes {
		if c.Problem != nil {
			continue // Apply leaves it alone.
		}
		out = append(out, strings.ToLower(string(c.Action))+"d "+c.Kind+" "+c.Name)
		if c.After == nil {
			continue
		}
		live := &unstructured.Unstructured{}
		live.SetGroupVersionKind(c.After.GroupVersionKind())
		w.must(w.admin.Get(w.context, client.ObjectKey{Namespace: w.owner.GetNamespace(), Name: c.Name}, live))
		w.assertContains(c.Kind+" "+c.Name, live.Object, c.After.Object)
	}
	slices.Sort(out)
	return out
}

// assertContains checks that a live value has all that is wanted of it. Lists are compared by
// their length and elements, quantities by the text that both were written with.
func (w *world) assertContains(path string, live, want any) {
	w.t.Helper()
	switch want := want.(type) {
	case map[string]any:
		have, _ := live.(map[string]any)
		for key, value := range want {
			w.assertContains(path+"."+key, have[key], value)
		}
	case []any:
		have, _ := live.([]any)
		if len(have) != len(want) {
			w.t.Errorf("%s: %d elements, foretold %d", path, len(have), len(want))
			return
		}
		for i := range want {
			w.assertContains(fmt.Sprintf("%s[%d]", path, i), have[i], want[i])
		}
	default:
		if fmt.Sprint(live) != fmt.Sprint(want) {
			w.t.Errorf("%s: %v, foretold %v", path, live, want)
		}
	}
}

// deleteAll deletes every object of the plan.
func (w *world) deleteAll() {
	w.t.Helper()
	for _, obj := range w.plan {
		w.must(w.admin.Delete(w.context, obj.DeepCopyObject().(client.Object), client.GracePeriodSeconds(0)))
	}
}

// editDeployment changes the planned Deployment.
func editDeployment(w *world, change func(*appsv1.Deployment)) {
	w.t.Helper()
	for _, obj := range w.plan {
		if d, is := obj.(*appsv1.Deployment); is {
			change(d)
			return
		}
	}
	w.t.Fatal("no Deployment is planned")
}

func sortedWrites(writes []target.Write) []string {
	out := append([]string{}, target.Describe(writes)...)
	slices.Sort(out)
	return out
}

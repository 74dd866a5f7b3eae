package target

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/target"
	"gati.dev/gati/pkg/target/kubernetes"
)

// What stands is not written again: not one request, whatever the server has made
// of our values.
func TestSecondApplyWritesNothing(t *testing.T) {
	for name, owner := range makeOwners() {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, owner)
			if got := w.mustApply(w.plan...); len(got.Writes) != len(w.plan) {
				t.Errorf("writes %q, for %d objects", got.Writes, len(w.plan))
			}
			before := w.resourceVersions()
			w.wire.takeCounts()
			if got := w.mustApply(w.plan...); len(got.Writes) > 0 {
				t.Errorf("a second time: %q", got.Writes)
			}
			if requests := w.wire.takeCounts(); len(requests) > 0 {
				t.Errorf("requests: %v", requests)
			}
			if diff := cmp.Diff(before, w.resourceVersions()); diff != "" {
				t.Errorf("resourceVersions (-before +after):\n%s", diff)
			}
		})
	}
}

// The ownership that a create leaves becomes one by apply at the first change,
// once, and a field that is left out later goes.
func TestOwnershipIsUpgradedOnce(t *testing.T) {
	w := newWorld(t, fullHandler().Obj())
	d := findPlanned[*appsv1.Deployment](w)
	w.mustApply(d)
	if got := managerOperations(w.readObject(d), v1.FieldManager); !slices.Equal(got, []string{"Update"}) {
		t.Fatalf("after the create: %q", got)
	}
	const jsonPatch = "PATCH application/json-patch+json"
	w.wire.takeCounts()
	for i, change := range []func(){
		func() { d.Spec.Template.Labels["team"] = "others" },
		func() { delete(d.Spec.Template.Labels, "team") },
		func() { c := &d.Spec.Template.Spec.Containers[0]; c.Env = c.Env[:len(c.Env)-1] },
		func() { d.Spec.Template.Spec.PriorityClassName = "" },
	} {
		change()
		if got := w.mustApply(d); !slices.Equal(got.Writes, replannedWrites(got)) || i == 0 && len(got.Writes) != 1 {
			t.Errorf("change %d: writes %v, of another plan %v", i, got.Writes, replannedWrites(got))
		}
		upgrades := w.wire.takeCounts()[jsonPatch]
		if want := map[bool]int{true: 1}[i == 0]; upgrades != want {
			t.Errorf("change %d: %d upgrades of ownership, want %d", i, upgrades, want)
		}
		if got := managerOperations(w.readObject(d), v1.FieldManager); !slices.Equal(got, []string{"Apply"}) {
			t.Errorf("change %d: %q", i, got)
		}
	}
	live := w.readObject(d)
	if _, still, _ := unstructured.NestedString(live.Object, "spec", "template", "metadata", "labels", "team"); still {
		t.Error("the label is still there")
	}
	containers, _, _ := unstructured.NestedSlice(live.Object, "spec", "template", "spec", "containers")
	env := containers[0].(map[string]any)["env"].([]any)
	if len(env) != len(d.Spec.Template.Spec.Containers[0].Env) {
		t.Errorf("%d variables, want %d", len(env), len(d.Spec.Template.Spec.Containers[0].Env))
	}
}

func TestForeignObjectIsNeverTouched(t *testing.T) {
	w := newWorld(t, builders.MakeHandler("a").Obj())
	cm := findPlanned[*corev1.ConfigMap](w)
	tests := map[string]struct {
		change func(*corev1.ConfigMap)
		want   string
	}{
		"without owner":   {nil, "was not created by this object"},
		"with our labels": {func(c *corev1.ConfigMap) { c.Labels = cm.Labels }, "was not created by this object"},
		"another handler's": {func(c *corev1.ConfigMap) {
			c.OwnerReferences = ownerReference(builders.MakeHandler("b").UID("other").Obj(), "GatiHandler")
		}, "belongs to GatiHandler b"},
		"an earlier handler's of the same name": {func(c *corev1.ConfigMap) {
			c.OwnerReferences = ownerReference(builders.MakeHandler("a").UID("earlier").Obj(), "GatiHandler")
		}, "belongs to a deleted GatiHandler a"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w.t = t
			theirs := w.foreignConfigMap(cm.Name, tc.change)
			t.Cleanup(func() { w.must(w.admin.Delete(context.WithoutCancel(w.context), theirs)) })
			out, err := w.target.Apply(w.context, w.owner, target.Plan{Objects: []client.Object{cm}})
			w.must(err)
			if problem := out.Children[0].Problem; problem == nil || !strings.Contains(problem.Error(), tc.want) {
				t.Errorf("problem %v, want %q in it", problem, tc.want)
			}
			if len(out.Writes) > 0 {
				t.Errorf("writes %q", out.Writes)
			}
			if got := w.readObject(cm).GetResourceVersion(); got != theirs.ResourceVersion {
				t.Errorf("resourceVersion %s became %s", theirs.ResourceVersion, got)
			}
		})
	}
}

// stale answers every Get of a ConfigMap with an object as it once was.
type stale struct {
	client.Client
	was *corev1.ConfigMap
}

func (s stale) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if cm, ok := obj.(*corev1.ConfigMap); ok && s.was != nil {
		s.was.DeepCopyInto(cm)
		return nil
	}
	return s.Client.Get(ctx, key, obj, opts...)
}

// The cache still shows our object, but it was deleted and another owner has
// taken its name.
func TestRecreatedObjectIsNotOverwritten(t *testing.T) {
	w := newWorld(t, builders.MakeHandler("a").Obj())
	cm := findPlanned[*corev1.ConfigMap](w)
	w.mustApply(cm)
	var was corev1.ConfigMap
	w.must(w.admin.Get(w.context, client.ObjectKeyFromObject(cm), &was))
	w.must(w.admin.Delete(w.context, &was))
	theirs := w.foreignConfigMap(cm.Name, nil)

	reader := stale{w.admin, &was}
	late := kubernetes.New(reader, w.admin, w.clock, func() []client.ObjectList { return nil })
	cm.Labels["changed"] = "yes"
	out, err := late.Apply(w.context, w.owner, target.Plan{Objects: []client.Object{cm}})
	w.must(err)
	if out.Children[0].Problem != nil || out.Again == 0 || len(out.Writes) > 0 {
		t.Errorf("problem %v, again after %s, writes %q; want another try, which sees the news", out.Children[0].Problem, out.Again, out.Writes)
	}
	live := w.readObject(cm)
	if live.GetResourceVersion() != theirs.ResourceVersion || live.GetUID() != theirs.UID {
		t.Errorf("the foreign object was written: %v", live.Object)
	}
}

// A manager that changes our fields back and forth is fought with five writes a
// minute and then named. The first repair of what was only ever created takes two.
func TestContested(t *testing.T) {
	tests := map[string]func(w *world, cm *corev1.ConfigMap, round int){
		"by an update": func(w *world, cm *corev1.ConfigMap, round int) {
			live := w.readObject(cm)
			w.must(unstructured.SetNestedField(live.Object, fmt.Sprint(round), "data", "A"))
			w.must(w.admin.Update(w.context, live, client.FieldOwner(intruder)))
		},
		"by a removal": func(w *world, cm *corev1.ConfigMap, _ int) {
			live := w.readObject(cm)
			unstructured.RemoveNestedField(live.Object, "data", "A")
			w.must(w.admin.Update(w.context, live, client.FieldOwner(intruder)))
		},
		"by a replacement that drops all that is ours": func(w *world, cm *corev1.ConfigMap, round int) {
			live := w.readObject(cm)
			live.SetAnnotations(nil)
			w.must(unstructured.SetNestedField(live.Object, fmt.Sprint(round), "data", "A"))
			w.must(w.admin.Update(w.context, live, client.FieldOwner(intruder)))
		},
	}
	for name, meddle := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, builders.MakeHandler("a").Obj())
			cm := findPlanned[*corev1.ConfigMap](w)
			// All that there is in the one map is changed at once.
			cm.Immutable, cm.Data = nil, map[string]string{"A": "ours"}
			w.mustApply(cm)
			w.wire.takeCounts()
			for round := range 4 {
				meddle(w, cm, round)
				if got := w.mustApply(cm); len(got.Writes) != 1 {
					t.Fatalf("round %d: writes %q", round, got.Writes)
				}
				w.clock.SetTime(w.clock.Now().Add(10 * time.Second))
			}
			if requests := w.wire.takeCounts(); countAll(requests) != 5 {
				t.Errorf("four repairs took %v, want 5 writes", requests)
			}
			meddle(w, cm, 5)
			out, err := w.target.Apply(w.context, w.owner, target.Plan{Objects: []client.Object{cm}})
			w.must(err)
			var contested *target.ContestedError
			if !errors.As(out.Children[0].Problem, &contested) {
				t.Fatalf("problem %v", out.Children[0].Problem)
			}
			if want := w.findMeddler(cm); contested.Manager != want {
				t.Errorf("%s is named, want %s", contested.Manager, want)
			}
			if requests := w.wire.takeCounts(); len(requests) > 0 {
				t.Errorf("and still written: %v", requests)
			}
			w.assertContest(cm)
		})
	}
}

// An autoscaler of others takes turns with us four times a minute, within the budget of
// repairs. It is named as soon as it has set a number, and one of the plan's own never is.
func TestAnotherAutoscalerIsNamedAtOnce(t *testing.T) {
	for name, wantWrite := range map[string]bool{"web": false, "handler-a": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, builders.MakeHandler("a").Obj())
			d := findPlanned[*appsv1.Deployment](w)
			w.mustApply(d)
			scaler := &autoscalingv2.HorizontalPodAutoscaler{
				ObjectMeta: metav1.ObjectMeta{Namespace: d.Namespace, Name: name},
				Spec: autoscalingv2.HorizontalPodAutoscalerSpec{MaxReplicas: 9, ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{
					APIVersion: appsv1.SchemeGroupVersion.String(), Kind: "Deployment", Name: d.Name,
				}},
			}
			w.must(w.admin.Create(w.context, scaler, client.FieldOwner(intruder)))
			live := w.readObject(d)
			w.must(unstructured.SetNestedField(live.Object, int64(6), "spec", "replicas"))
			w.must(w.admin.Update(w.context, live, client.FieldOwner(intruder)))
			w.wire.takeCounts()
			out, err := w.target.Apply(w.context, w.owner, target.Plan{Objects: []client.Object{d}})
			w.must(err)
			var contested *target.ContestedError
			if is := errors.As(out.Children[0].Problem, &contested); is == wantWrite || is && contested.Manager != "HorizontalPodAutoscaler "+name {
				t.Errorf("problem %v", out.Children[0].Problem)
			}
			if wrote := w.wire.takeCounts()["PATCH application/apply-patch+yaml"] > 0; wrote != wantWrite {
				t.Errorf("written: %v, want %v", wrote, wantWrite)
			}
		})
	}
}

// assertContest checks what follows on a contest: a write a minute, and the problem
// stands until the object has been left alone for a while.
func (w *world) assertContest(obj client.Object) {
	w.t.Helper()
	steps := []struct {
		after           time.Duration
		writes, problem bool
	}{
		{30 * time.Second, false, true}, {30 * time.Second, true, true}, {10 * time.Second, false, true}, {20 * time.Second, false, false},
	}
	for i, step := range steps {
		w.clock.SetTime(w.clock.Now().Add(step.after))
		out, err := w.target.Apply(w.context, w.owner, target.Plan{Objects: []client.Object{obj}})
		w.must(err)
		if wrote := len(w.wire.takeCounts()) > 0; wrote != step.writes {
			w.t.Errorf("step %d: written: %v, want %v", i, wrote, step.writes)
		}
		if problem := out.Children[0].Problem; (problem != nil) != step.problem {
			w.t.Errorf("step %d: problem %v", i, problem)
		}
	}
}

// findMeddler returns whom the server's records show to have written besides us.
func (w *world) findMeddler(obj client.Object) string {
	for _, e := range w.readObject(obj).GetManagedFields() {
		if e.Manager == intruder {
			return intruder
		}
	}
	return "an unknown manager" // Who only removes leaves no name.
}

func TestPruneDeletesOnlyWhatTheOwnerControls(t *testing.T) {
	w := newWorld(t, fullHandler().Obj(), &corev1.ConfigMapList{}, &corev1.ServiceList{})
	w.mustApply(w.plan...)
	cm := findPlanned[*corev1.ConfigMap](w)
	ours := func(c *corev1.ConfigMap) { c.Labels = cm.Labels; c.OwnerReferences = cm.OwnerReferences }
	w.foreignConfigMap("superfluous", ours)
	for name, change := range map[string]func(*corev1.ConfigMap){
		"without-owner": func(c *corev1.ConfigMap) { c.Labels = cm.Labels },
		"of-another": func(c *corev1.ConfigMap) {
			c.Labels = cm.Labels
			c.OwnerReferences = ownerReference(builders.MakeHandler("b").UID("other").Obj(), "GatiHandler")
		},
		"not-a-controller": func(c *corev1.ConfigMap) {
			ours(c)
			c.OwnerReferences = slices.Clone(c.OwnerReferences)
			c.OwnerReferences[0].Controller = nil
			c.OwnerReferences[0].BlockOwnerDeletion = nil
		},
		"without-labels": func(c *corev1.ConfigMap) { c.OwnerReferences = cm.OwnerReferences },
	} {
		w.foreignConfigMap(name, change)
	}
	without := slices.DeleteFunc(slices.Clone(w.plan), func(o client.Object) bool { _, ok := o.(*corev1.Service); return ok })
	got := w.mustApply(without...)
	writes := target.Describe(got.Writes)
	slices.Sort(writes)
	if diff := cmp.Diff([]string{"deleted ConfigMap superfluous", "deleted Service handler-full"}, writes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var left corev1.ConfigMapList
	w.must(w.admin.List(w.context, &left, client.InNamespace(w.owner.GetNamespace())))
	if names := fmt.Sprint(left.Items); strings.Contains(names, "superfluous") || len(left.Items) < 5 {
		t.Errorf("left: %s", names)
	}
}

// What the server refuses is a problem of that one object.
func TestRefusedObjectKeepsNoOtherFromItsTurn(t *testing.T) {
	w := newWorld(t, fullHandler().Obj())
	cm, d := findPlanned[*corev1.ConfigMap](w), findPlanned[*appsv1.Deployment](w)
	d.Spec.Template.Spec.Containers[0].Image = ""
	out, err := w.target.Apply(w.context, w.owner, target.Plan{Objects: []client.Object{d, cm}})
	w.must(err)
	var refused *target.RefusedError
	if !errors.As(out.Children[0].Problem, &refused) || out.Children[1].Problem != nil {
		t.Errorf("problems %v, %v", out.Children[0].Problem, out.Children[1].Problem)
	}
	if diff := cmp.Diff([]string{"created ConfigMap " + cm.Name}, target.Describe(out.Writes)); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
}

// replannedWrites returns the writes that follow another plan.
func replannedWrites(out target.Outcome) []target.Write {
	return slices.DeleteFunc(slices.Clone(out.Writes), func(w target.Write) bool { return !w.IsReplanned })
}

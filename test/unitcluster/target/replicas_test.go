package target

import (
	"context"
	"errors"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/target"
	"gati.dev/gati/pkg/target/kubernetes"
)

// TestAnAutoscalersNumberIsNotUndone applies a plan with the last number of pods while the
// cache does not show yet that an autoscaler has changed it for the first time.
func TestAnAutoscalersNumberIsNotUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, builders.MakeHandler("users").Path("/users").Image("app:v1").Replicas(4).Autoscale(2, 8).Obj())
	w.mustApply(findPlanned[*autoscalingv2.HorizontalPodAutoscaler](w))
	d := findPlanned[*appsv1.Deployment](w)
	const note = "example.com/note"
	for _, text := range []string{"create", "apply"} { // Both ways in which Gati owns the number.
		d.Annotations[note] = text
		w.mustApply(d.DeepCopy())
	}

	var stale appsv1.Deployment
	w.must(w.admin.Get(w.context, client.ObjectKeyFromObject(d), &stale))
	w.must(w.admin.SubResource("scale").Update(w.context, stale.DeepCopy(), client.WithSubResourceBody(&autoscalingv1.Scale{
		ObjectMeta: *stale.ObjectMeta.DeepCopy(), Spec: autoscalingv1.ScaleSpec{Replicas: 6},
	}), client.FieldOwner(intruder)))

	wire, err := client.NewWithWatch(config, client.Options{Scheme: scheme.Scheme})
	w.must(err)
	cached := interceptor.NewClient(wire, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if d, is := obj.(*appsv1.Deployment); is {
				stale.DeepCopyInto(d)
				return nil
			}
			return c.Get(ctx, key, obj, opts...)
		},
	})
	d.Annotations[note] = "on old news"
	out, err := kubernetes.New(cached, w.admin, w.clock, func() []client.ObjectList { return nil }).
		Apply(w.context, w.owner, target.Plan{Objects: []client.Object{d}})
	w.must(err)
	if out.Again == 0 {
		t.Error("the apply is not tried again")
	}
	var now appsv1.Deployment
	w.must(w.admin.Get(w.context, client.ObjectKeyFromObject(d), &now))
	if *now.Spec.Replicas != 6 || now.Annotations[note] != "apply" {
		t.Errorf("%d pods wanted after the apply %q, want the autoscaler's 6 after the apply before", *now.Spec.Replicas, now.Annotations[note])
	}
}

// TestAPlanRestsOnItsNumber applies a plan whose number of pods was decided before another
// manager set it, or let go of it: neither is drift. Other changes of the Deployment since
// then keep nothing from being applied.
func TestAPlanRestsOnItsNumber(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		// before and after change the Deployment before and after the plan is made.
		before, after func(*world, *appsv1.Deployment)
		// isGivenUp is a plan without a number.
		isGivenUp, isStale bool
		want               int32
	}{
		"set":               {nil, scaleTo(6), false, true, 6},
		"set again":         {scaleTo(6), scaleTo(7), true, false, 7},
		"let go":            {scaleTo(6), letGo, true, true, 6},
		"changed otherwise": {nil, writeObservedStatus, false, false, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, builders.MakeHandler("users").Path("/users").Image("app:v1").Replicas(4).Autoscale(2, 8).Obj())
			w.mustApply(findPlanned[*autoscalingv2.HorizontalPodAutoscaler](w))
			d := findPlanned[*appsv1.Deployment](w)
			w.mustApply(d.DeepCopy())
			read := func() *appsv1.Deployment {
				var now appsv1.Deployment
				w.must(w.admin.Get(w.context, client.ObjectKeyFromObject(d), &now))
				return &now
			}
			if tc.before != nil {
				tc.before(w, read())
			}
			if tc.isGivenUp {
				d.Spec.Replicas = nil
			}
			d.Annotations["example.com/note"] = "changed"
			plan := target.Plan{Objects: []client.Object{d}}
			plan.RestOn(read())
			tc.after(w, read())
			_, inspected := w.target.Inspect(w.context, w.owner, plan)
			_, applied := w.target.Apply(w.context, w.owner, plan)
			for what, err := range map[string]error{"Inspect": inspected, "Apply": applied} {
				if _, isStale := errors.AsType[*target.StaleError](err); isStale != tc.isStale || err != nil && !isStale {
					t.Errorf("%s: error %v, want a StaleError: %v", what, err, tc.isStale)
				}
			}
			now := read()
			if isApplied := now.Annotations["example.com/note"] != ""; *now.Spec.Replicas != tc.want || isApplied == tc.isStale {
				t.Errorf("%d pods wanted, applied: %v; want %d, %v", *now.Spec.Replicas, isApplied, tc.want, !tc.isStale)
			}
		})
	}
}

// scaleTo sets the number of pods as an autoscaler does.
func scaleTo(n int32) func(*world, *appsv1.Deployment) {
	return func(w *world, d *appsv1.Deployment) {
		w.must(w.admin.SubResource("scale").Update(w.context, d.DeepCopy(), client.WithSubResourceBody(&autoscalingv1.Scale{
			ObjectMeta: *d.ObjectMeta.DeepCopy(), Spec: autoscalingv1.ScaleSpec{Replicas: n},
		}), client.FieldOwner(intruder)))
	}
}

// letGo takes away every entry of managedFields but ours.
func letGo(w *world, d *appsv1.Deployment) {
	before := d.DeepCopy()
	d.ManagedFields = slices.DeleteFunc(d.ManagedFields, func(e metav1.ManagedFieldsEntry) bool { return e.Manager == intruder })
	w.must(w.admin.Patch(w.context, d, client.MergeFrom(before)))
}

// writeObservedStatus writes the status, as the controller of Deployments does.
func writeObservedStatus(w *world, d *appsv1.Deployment) {
	d.Status.ObservedGeneration, d.Status.Replicas = d.Generation, 3
	w.must(w.admin.Status().Update(w.context, d))
}

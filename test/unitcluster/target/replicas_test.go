package target

import (
	"context"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
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
	w.apply(planned[*autoscalingv2.HorizontalPodAutoscaler](w))
	d := planned[*appsv1.Deployment](w)
	const note = "example.com/note"
	for _, text := range []string{"create", "apply"} { // Both ways in which Gati owns the number.
		d.Annotations[note] = text
		w.apply(d.DeepCopy())
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

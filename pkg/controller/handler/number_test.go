package handler

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/ownership"
)

const scaler = "kube-controller-manager"

// TestANumberSetWhilePlanningStays has an autoscaler set its first number of pods after the
// plan was made, before its writes look at the Deployment. That number was taken for drift,
// and put back.
func TestANumberSetWhilePlanningStays(t *testing.T) {
	w := newWorld(t, routed().Replicas(4).Autoscale(2, 8).Obj())
	w.settle()
	isScaled := false
	w.beforeGet = func(obj client.Object) {
		if _, is := obj.(*appsv1.Deployment); !is || isScaled {
			return
		}
		isScaled = true
		var d appsv1.Deployment
		w.must(w.get(&d, "handler-users"))
		before := d.DeepCopy()
		d.Spec.Replicas = new(int32(6))
		w.must(w.live.Patch(t.Context(), &d, client.MergeFrom(before), client.FieldOwner(scaler)))
	}
	w.settle()
	var d appsv1.Deployment
	w.must(w.get(&d, "handler-users"))
	other := ownership.FindOther(d.ManagedFields, "replicas", scaler)
	if !isScaled || *d.Spec.Replicas != 6 || other != "" {
		t.Errorf("scaled: %v; %d pods wanted, %q has their number, want 6 and the autoscaler alone", isScaled, *d.Spec.Replicas, other)
	}
}

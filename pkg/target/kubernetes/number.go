package kubernetes

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/ownership"
	"gati.dev/gati/pkg/target"
)

// checkNumber returns a StaleError where another manager has set the number of pods of a
// workload, or let go of it, since the plan was made: the cache may show that to the plan's
// writes and not yet to the plan. Such a number is neither drift nor ours to give up.
func (a *application) checkNumber(ctx context.Context, want *unstructured.Unstructured, live client.Object) error {
	now, is := live.(*appsv1.Deployment)
	then := a.plan.Scaled[live.GetName()]
	if !is || then == nil || then.UID != now.UID || then.ResourceVersion == now.ResourceVersion {
		return nil
	}
	if planned, set, _ := unstructured.NestedInt64(want.Object, "spec", "replicas"); set {
		if now.Spec.Replicas == nil || int64(*now.Spec.Replicas) == planned {
			return nil
		}
	} else if hasHolder(now) || !hasHolder(then) {
		return nil
	}
	if shared, err := a.sharesReplicas(ctx, want); err != nil || !shared {
		return err // A number that no autoscaler may change is put back.
	}
	return &target.StaleError{Err: fmt.Errorf("the number of pods of %s %s has changed since the plan was made", a.kindOf(now), now.Name)}
}

// hasHolder reports whether another manager owns the number of pods.
func hasHolder(d *appsv1.Deployment) bool {
	return ownership.FindOther(d.ManagedFields, "replicas", v1.FieldManager) != ""
}

// findScaler names the HorizontalPodAutoscaler of others that has set another number of pods
// than the planned one; empty for none. Its field manager is that of all autoscalers.
func (t *Target) findScaler(ctx context.Context, live, planned client.Object) string {
	now, is := live.(*appsv1.Deployment)
	if !is || planned.(*appsv1.Deployment).Spec.Replicas == nil || ptr.Equal(now.Spec.Replicas, planned.(*appsv1.Deployment).Spec.Replicas) {
		return ""
	}
	var all autoscalingv2.HorizontalPodAutoscalerList
	if t.live.List(ctx, &all, client.InNamespace(live.GetNamespace())) != nil {
		return ""
	}
	for i := range all.Items {
		a := &all.Items[i]
		if of := a.Spec.ScaleTargetRef; of.Kind == "Deployment" && of.Name == live.GetName() && !isOurScaler(a, live) {
			return "HorizontalPodAutoscaler " + a.Name
		}
	}
	return ""
}

// isOurScaler reports whether an autoscaler was planned for a workload, or is KEDA's for the
// planned ScaledObject: both may outlive the plan that had them for a moment.
func isOurScaler(a *autoscalingv2.HorizontalPodAutoscaler, workload client.Object) bool {
	if a.Name == workload.GetName() {
		return true
	}
	owner := metav1.GetControllerOf(a)
	return owner != nil && owner.Kind == "ScaledObject" && owner.Name == workload.GetName()
}

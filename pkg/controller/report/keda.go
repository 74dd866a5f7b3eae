package report

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/facts"
	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
	"gati.dev/gati/pkg/target"
)

// HoldScaledObjects holds the ScaledObjects of a plan where the cluster does not serve
// them.
func HoldScaledObjects(plan *target.Plan, f facts.Facts) {
	problem := f.Unserved(kedav1alpha1.Kind)
	if problem == nil {
		return
	}
	plan.Hold(kedav1alpha1.Kind+"."+kedav1alpha1.GroupVersion.Group, problem, func(obj client.Object) bool {
		_, is := obj.(*kedav1alpha1.ScaledObject)
		return is
	})
}

package kubernetes

import (
	"context"
	"encoding/json"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	v1 "gati.dev/gati/api/v1"
	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
)

// isTaken reports whether an object is a HorizontalPodAutoscaler that KEDA has.
func isTaken(obj client.Object) bool {
	a, ok := obj.(*autoscalingv2.HorizontalPodAutoscaler)
	return ok && kedav1alpha1.IsTaken(a)
}

// isLeft reports whether an object is a HorizontalPodAutoscaler that KEDA has left behind.
func isLeft(obj client.Object) bool {
	a, ok := obj.(*autoscalingv2.HorizontalPodAutoscaler)
	return ok && kedav1alpha1.IsLeft(a)
}

// propagationFor returns the propagation policy for the children of a deleted object. A
// ScaledObject leaves its HorizontalPodAutoscaler behind: it scales until it is ours or is
// deleted.
func propagationFor(obj client.Object) metav1.DeletionPropagation {
	if _, ok := obj.(*kedav1alpha1.ScaledObject); ok {
		return metav1.DeletePropagationOrphan
	}
	return metav1.DeletePropagationBackground
}

// adoptLeft makes the HorizontalPodAutoscaler that KEDA has left behind the desired one.
// First it is replaced as a whole: an apply would leave KEDA's settings beside ours.
func (a *application) adoptLeft(ctx context.Context, want *unstructured.Unstructured, live, planned client.Object) error {
	patch, err := json.Marshal([]operation{
		{"test", "/metadata/uid", live.GetUID()},
		{"test", "/metadata/resourceVersion", live.GetResourceVersion()},
		{"add", "/metadata/labels", want.GetLabels()},
		{"add", "/metadata/annotations", want.GetAnnotations()},
		{"add", "/metadata/ownerReferences", want.GetOwnerReferences()},
		{"add", "/spec", want.Object["spec"]},
	})
	if err != nil {
		return err
	}
	if err := a.writer.Patch(ctx, live, client.RawPatch(types.JSONPatchType, patch), client.FieldOwner(v1.FieldManager)); err != nil {
		return err
	}
	return a.updateObject(ctx, want, live, planned)
}

// reclaimLeft makes the owner the controller of a HorizontalPodAutoscaler that KEDA has
// left behind and that is not planned. The next look at it deletes it.
func (a *application) reclaimLeft(ctx context.Context, obj client.Object) error {
	gvk, err := apiutil.GVKForObject(a.owner, a.scheme)
	if err != nil {
		return err
	}
	patch, err := json.Marshal([]operation{
		{"test", "/metadata/uid", obj.GetUID()},
		{"test", "/metadata/resourceVersion", obj.GetResourceVersion()},
		{"add", "/metadata/ownerReferences", []metav1.OwnerReference{*metav1.NewControllerRef(a.owner, gvk)}},
	})
	if err != nil {
		return err
	}
	return a.writer.Patch(ctx, obj, client.RawPatch(types.JSONPatchType, patch), client.FieldOwner(v1.FieldManager))
}

package install

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "gati.dev/gati/api/v1"
)

// notes are annotations that describe the stored object, and are no part of the
// desired state.
var notes = []string{
	"kubectl.kubernetes.io/last-applied-configuration", v1.AnnotationPlan, v1.AnnotationChildren, v1.AnnotationRequest, v1.AnnotationRequestedBy,
	v1.AnnotationRequestReason,
}

// manifestsOf are the objects as a user would write them. A record that the
// controller has written it writes again.
func manifestsOf(stored []*unstructured.Unstructured) []*unstructured.Unstructured {
	var out []*unstructured.Unstructured
	for _, o := range stored {
		if isAutomatic(o) {
			continue
		}
		m := &unstructured.Unstructured{Object: map[string]any{"spec": o.Object["spec"]}}
		keepBinding(m, o)
		m.SetGroupVersionKind(o.GroupVersionKind())
		m.SetNamespace(o.GetNamespace())
		m.SetName(o.GetName())
		labels := o.GetLabels()
		delete(labels, v1.LabelAutomatic)
		if len(labels) > 0 {
			m.SetLabels(labels)
		}
		annotations := o.GetAnnotations()
		for _, note := range notes {
			delete(annotations, note)
		}
		if len(annotations) > 0 {
			m.SetAnnotations(annotations)
		}
		out = append(out, m)
	}
	return out
}

// isAutomatic reports whether an object is a record that the controller has written.
func isAutomatic(o *unstructured.Unstructured) bool {
	if decided, found, _ := unstructured.NestedBool(o.Object, "status", "automatic"); found {
		return decided
	}
	_, automatic := o.GetLabels()[v1.LabelAutomatic]
	return automatic
}

// keepBinding writes the binding of a record into its spec: the status is not exported.
func keepBinding(into, record *unstructured.Unstructured) {
	if record.GetKind() != "GatiVersion" {
		return
	}
	for _, name := range []string{"handler", "version"} {
		bound, _, _ := unstructured.NestedString(record.Object, "status", name)
		if set, _, _ := unstructured.NestedString(into.Object, "spec", name); set == "" && bound != "" {
			_ = unstructured.SetNestedField(into.Object, bound, "spec", name)
		}
	}
}

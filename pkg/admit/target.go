package admit

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/facts"
)

// checkTarget refuses a target that the operator does not allow. CEL cannot check this:
// the operator's configuration is not part of the object.
func checkTarget(obj client.Object, f facts.Facts) field.ErrorList {
	if _, err := f.TargetFor(obj); err != nil {
		at := field.NewPath("metadata", "annotations").Key(v1.AnnotationTarget)
		return field.ErrorList{field.Invalid(at, obj.GetAnnotations()[v1.AnnotationTarget], err.Error())}
	}
	return nil
}

package admission

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"gati.dev/gati/api/v1alpha1"
)

// asWritten names the fields of errors in the request's version. The API server converts a
// request of v1alpha1 to v1 before it calls the webhook, and the user's file does not have
// v1's names.
func asWritten(req admission.Request, errs field.ErrorList) field.ErrorList {
	if req.RequestKind == nil || req.RequestKind.Version != v1alpha1.GroupVersion.Version {
		return errs
	}
	out := make(field.ErrorList, len(errs))
	for i, e := range errs {
		renamed := *e
		renamed.Field = v1alpha1.FieldPath(req.Kind.Kind, e.Field)
		out[i] = &renamed
	}
	return out
}

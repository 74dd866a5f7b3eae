package admission

import (
	"context"
	"strings"

	"gomodules.xyz/jsonpatch/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
)

// Mutator stamps the hash of the plan on a handler or module whose spec a
// request changes. The stamp is advisory, so whatever goes wrong here lets the
// request pass: the validator says what is at fault.
type Mutator struct{ Facts FactSource }

var _ admission.Handler = (*Mutator)(nil)

// Handle implements admission.Handler.
func (m *Mutator) Handle(ctx context.Context, req admission.Request) admission.Response {
	obj, old, err := decode(req)
	if err != nil || obj.GetDeletionTimestamp() != nil || sameSpec(obj, old) {
		return admission.Allowed("")
	}
	f, err := m.Facts.For(ctx, req.Namespace)
	if err != nil {
		return admission.Allowed("")
	}
	hash := admit.Run(obj, old, f).Hash
	if hash == "" || obj.GetAnnotations()[v1.AnnotationPlan] == hash {
		return admission.Allowed("")
	}
	return admission.Patched("", stamp(obj, hash)...)
}

// stamp is the patch that writes the hash, and nothing else: what the user wrote
// is never encoded again.
func stamp(obj client.Object, hash string) []jsonpatch.Operation {
	key := strings.ReplaceAll(v1.AnnotationPlan, "/", "~1")
	if obj.GetAnnotations() == nil {
		return []jsonpatch.Operation{{
			Operation: "add", Path: "/metadata/annotations", Value: map[string]any{v1.AnnotationPlan: hash},
		}}
	}
	return []jsonpatch.Operation{{Operation: "add", Path: "/metadata/annotations/" + key, Value: hash}}
}

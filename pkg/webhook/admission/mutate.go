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
// request changes, and keeps it where the spec stays. The stamp is advisory, so whatever goes wrong here lets the
// request pass: the validator says what is at fault.
type Mutator struct {
	Facts FactSource
	// Pipeline checks an object; its zero value reads each schema anew.
	Pipeline admit.Pipeline
}

var _ admission.Handler = (*Mutator)(nil)

// Handle implements admission.Handler.
func (m *Mutator) Handle(ctx context.Context, req admission.Request) admission.Response {
	obj, old, err := decode(req)
	if err != nil || obj.GetDeletionTimestamp() != nil {
		return admission.Allowed("")
	}
	hash := m.hash(ctx, req, obj, old)
	if hash == "" || obj.GetAnnotations()[v1.AnnotationPlan] == hash {
		return admission.Allowed("")
	}
	return admission.Patched("", stamp(obj, hash)...)
}

// hash is the stamp that an object should have, empty where it has none coming.
// While the spec stays, so does the stamp that is stored: a file that was read
// from the cluster carries that of its day, and a replaced object none at all.
func (m *Mutator) hash(ctx context.Context, req admission.Request, obj, old client.Object) string {
	if _, record := obj.(*v1.GatiVersion); record {
		return ""
	}
	if sameSpec(obj, old) {
		return old.GetAnnotations()[v1.AnnotationPlan]
	}
	f, err := m.Facts.For(ctx, req.Namespace)
	if err != nil {
		return ""
	}
	return m.Pipeline.Run(obj, old, f).Hash
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

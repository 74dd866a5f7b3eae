package admission

import (
	"context"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/schema"
)

// SchemaReader reads the documents of version schemas and remembers what it said.
type SchemaReader interface {
	Check(raw []byte) (*schema.Schema, error)
	// Ready judges documents ahead of time, and gives up with the context.
	Ready(ctx context.Context, documents ...[]byte) error
}

// pipelineFor returns the pipeline for an object, once its documents are judged:
// what follows takes no time to speak of. The error is that of the context.
func pipelineFor(ctx context.Context, r SchemaReader, objects ...client.Object) (admit.Pipeline, error) {
	if r == nil {
		return admit.Pipeline{}, nil
	}
	for _, obj := range objects {
		if err := r.Ready(ctx, admit.Documents(schemaOf(obj))...); err != nil {
			return admit.Pipeline{}, err
		}
	}
	return admit.Pipeline{Read: r.Check}, nil
}

func schemaOf(obj client.Object) *v1.VersionSchema {
	switch o := obj.(type) {
	case *v1.GatiHandler:
		return o.Spec.Schema
	case *v1.GatiVersion:
		return o.Spec.Schema
	}
	return nil
}

// later tells a client to try again, as clients made with client-go do by
// themselves. By then what took too long is known.
func later(why string) admission.Response {
	return admission.Response{AdmissionResponse: admissionv1.AdmissionResponse{
		Result: &metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusTooManyRequests, Reason: metav1.StatusReasonTooManyRequests,
			Message: why, Details: &metav1.StatusDetails{RetryAfterSeconds: 1},
		},
		AuditAnnotations: map[string]string{"verdict": "busy"},
	}}
}

package app

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"gati.dev/gati/pkg/tracing"
)

// lastTraces bounds the export of traces when the process ends.
const lastTraces = 3 * time.Second

// validateTracing rejects an address that cannot be one.
func (c *config) validateTracing() error {
	if c.OTLPEndpoint == "" {
		return nil
	}
	if u, err := url.Parse(c.OTLPEndpoint); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("otlp-endpoint must be an address such as http://collector.observability.svc:4318/v1/traces")
	}
	return nil
}

func (a *app) stopTracing(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lastTraces)
	defer cancel()
	if err := a.tracer.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// tracedKinds are the kinds whose specs lead to children.
var tracedKinds = []string{"GatiHandler", "GatiModule"}

// traceAdmission exports the admission of each spec that was allowed. It comes last of
// all admission, when generation and stamp are final.
func traceAdmission(t *tracing.Tracer, next admission.Handler) admission.Handler {
	if t == nil {
		return next
	}
	return admission.HandlerFunc(func(ctx context.Context, req admission.Request) admission.Response {
		began := time.Now()
		answer := next.Handle(ctx, req)
		if answer.Allowed && isStored(req) && slices.Contains(tracedKinds, req.Kind.Kind) {
			var o metav1.PartialObjectMetadata
			if err := json.Unmarshal(req.Object.Raw, &o); err == nil {
				_, work := t.Begin(ctx, tracing.SubjectOf(req.Kind.Kind, &o))
				work.Did("admission", began)
				work.EndRoot("apply")
			}
		}
		return answer
	})
}

// isStored reports whether a request leads to a spec that is stored.
func isStored(req admission.Request) bool {
	return (req.DryRun == nil || !*req.DryRun) && req.SubResource == "" && (req.Operation == admissionv1.Create || req.Operation == admissionv1.Update)
}

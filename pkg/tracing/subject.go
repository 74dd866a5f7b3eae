package tracing

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"go.opentelemetry.io/otel/trace"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// Subject is one spec of a handler or module: what a trace is about.
type Subject struct {
	Kind, Namespace, Name string
	Generation            int64
	// Plan is the hash that admission stamped.
	Plan string
}

// SubjectOf returns the subject of an object.
func SubjectOf(kind string, o client.Object) Subject {
	return Subject{Kind: kind, Namespace: o.GetNamespace(), Name: o.GetName(), Generation: o.GetGeneration(), Plan: o.GetAnnotations()[v1.AnnotationPlan]}
}

// ids returns the id of the trace and that of its root.
func (s Subject) ids() (trace.TraceID, trace.SpanID) {
	sum := sha256.Sum256([]byte(strings.Join([]string{s.Kind, s.Namespace, s.Name, fmt.Sprint(s.Generation), s.Plan}, "\x00")))
	return trace.TraceID(sum[:16]), trace.SpanID(sum[16:24])
}

// ID returns the id of the trace.
func (s Subject) ID() string {
	id, _ := s.ids()
	return id.String()
}

package tracing

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// Work is one admission or one reconciliation of a subject. It is exported only if
// something was written: a steady state has no traces. Nil records nothing.
type Work struct {
	tracer  *Tracer
	subject Subject
	log     logr.Logger

	mu    sync.Mutex
	spans []span
	wrote int
}

// span is one that has ended.
type span struct {
	name       string
	start, end time.Time
	failure    string
	attributes []attribute.KeyValue
}

// workKey is the context's key of the Work.
type workKey struct{}

// Begin returns the Work for a subject, and a context in which writes belong to it.
func (t *Tracer) Begin(ctx context.Context, s Subject) (context.Context, *Work) {
	if t == nil {
		return ctx, nil
	}
	w := &Work{tracer: t, subject: s, log: logr.FromContextOrDiscard(ctx)}
	return context.WithValue(ctx, workKey{}, w), w
}

// Now returns when something begins; the zero time where nothing is recorded.
func (w *Work) Now() time.Time {
	if w == nil {
		return time.Time{}
	}
	return time.Now()
}

// Did records a span that ends now.
func (w *Work) Did(name string, since time.Time) {
	if w != nil {
		w.addSpan(span{name: name, start: since, end: time.Now()})
	}
}

// Ready records that pods became ready.
func (w *Work) Ready(since, now time.Time, pods string) {
	if w != nil && now.After(since) {
		w.addSpan(span{name: "pods ready", start: since, end: now, attributes: []attribute.KeyValue{attribute.String("gati.pods", pods)}})
	}
}

// TraceID returns the id of the trace, empty where none is recorded.
func (w *Work) TraceID() string {
	if w == nil {
		return ""
	}
	return w.subject.ID()
}

func (w *Work) addSpan(s span) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spans = append(w.spans, s)
}

// noteWrite records a write.
func (w *Work) noteWrite(s span) {
	w.addSpan(s)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wrote++
}

// End exports the spans if there was a write, and logs the id of the trace.
func (w *Work) End() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wrote == 0 {
		return
	}
	w.log.Info("reconciled", "trace", w.subject.ID(), "writes", w.wrote)
	for _, s := range w.spans {
		w.exportSpan(w.childContext(), s)
	}
}

// EndRoot exports the spans below a root span, which began with the first of them.
func (w *Work) EndRoot(name string) {
	if w == nil || len(w.spans) == 0 {
		return
	}
	w.log.Info("admitted", "trace", w.subject.ID(), "namespace", w.subject.Namespace, "name", w.subject.Name)
	root := context.WithValue(context.Background(), rootKey{}, w.subject)
	w.exportSpan(root, span{name: name, start: w.spans[0].start, end: time.Now()})
	for _, s := range w.spans {
		w.exportSpan(w.childContext(), s)
	}
}

// childContext returns a context in which spans are below the root, whichever process
// exports the root.
func (w *Work) childContext() context.Context {
	traceID, rootID := w.subject.traceIDs()
	return trace.ContextWithRemoteSpanContext(context.Background(), trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: traceID, SpanID: rootID, TraceFlags: trace.FlagsSampled, Remote: true,
	}))
}

func (w *Work) exportSpan(ctx context.Context, s span) {
	_, out := w.tracer.tracer.Start(ctx, s.name, trace.WithTimestamp(s.start), trace.WithAttributes(
		attribute.String("gati.kind", w.subject.Kind), attribute.String("k8s.namespace.name", w.subject.Namespace),
		attribute.String("gati.name", w.subject.Name), attribute.Int64("gati.generation", w.subject.Generation),
	), trace.WithAttributes(s.attributes...))
	if s.failure != "" {
		out.SetStatus(codes.Error, s.failure)
	}
	out.End(trace.WithTimestamp(s.end))
}

// Subject is the subject of a trace: one spec of a handler or module.
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

// traceIDs returns the id of the trace and that of its root.
func (s Subject) traceIDs() (trace.TraceID, trace.SpanID) {
	sum := sha256.Sum256([]byte(strings.Join([]string{s.Kind, s.Namespace, s.Name, fmt.Sprint(s.Generation), s.Plan}, "\x00")))
	return trace.TraceID(sum[:16]), trace.SpanID(sum[16:24])
}

// ID returns the id of the trace.
func (s Subject) ID() string {
	id, _ := s.traceIDs()
	return id.String()
}

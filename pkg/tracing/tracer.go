package tracing

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// exportEvery is how long spans wait for others, exportTimeout bounds one export.
const (
	exportEvery   = time.Second
	exportTimeout = 5 * time.Second
)

// Tracer exports traces. Nil is off.
type Tracer struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// New returns a Tracer that sends OTLP by HTTP to an address; nil where that is empty.
func New(ctx context.Context, endpoint, service, version string, log logr.Logger) (*Tracer, error) {
	if endpoint == "" {
		return nil, nil
	}
	exporter, err := otlptracehttp.New(ctx, exporterOptions(endpoint)...)
	if err != nil {
		return nil, fmt.Errorf("export traces to %s: %w", endpoint, err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Error(err, "traces were not exported") }))
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(exporter, sdktrace.WithBatchTimeout(exportEvery)),
		sdktrace.WithIDGenerator(generator{}),
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", service), attribute.String("service.version", version))),
	)
	return &Tracer{provider: provider, tracer: provider.Tracer("gati.dev/gati")}, nil
}

// exporterOptions returns how an address is called: the authorities are those of the default
// transport, where the operator's ca-file is, unless the exporter's own variables name files.
func exporterOptions(endpoint string) []otlptracehttp.Option {
	out := []otlptracehttp.Option{otlptracehttp.WithEndpointURL(endpoint), otlptracehttp.WithTimeout(exportTimeout)}
	shared, ok := http.DefaultTransport.(*http.Transport)
	if !ok || shared.TLSClientConfig == nil || !strings.HasPrefix(endpoint, "https:") || namesCertificates() {
		return out
	}
	return append(out, otlptracehttp.WithTLSClientConfig(shared.TLSClientConfig.Clone()))
}

// namesCertificates reports whether a variable of the exporter names a certificate.
func namesCertificates() bool {
	for _, name := range []string{"CERTIFICATE", "CLIENT_CERTIFICATE"} {
		if os.Getenv("OTEL_EXPORTER_OTLP_"+name) != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_"+name) != "" {
			return true
		}
	}
	return false
}

// Shutdown exports what waits.
func (t *Tracer) Shutdown(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// rootKey is the context's key of the ids of a root span.
type rootKey struct{}

// generator gives a root span the ids of its subject, and others random ones.
type generator struct{}

// NewIDs implements sdktrace.IDGenerator.
func (g generator) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	s, _ := ctx.Value(rootKey{}).(Subject)
	return s.traceIDs()
}

// NewSpanID implements sdktrace.IDGenerator.
func (generator) NewSpanID(context.Context, trace.TraceID) (id trace.SpanID) {
	_, _ = rand.Read(id[:])
	return id
}

package tracing

import (
	"net/http"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
)

// Wrap returns a transport that records the writes of the Work in a request's context.
func (t *Tracer) Wrap(next http.RoundTripper) http.RoundTripper {
	if t == nil {
		return next
	}
	return transport{next}
}

type transport struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	w, ok := r.Context().Value(workKey{}).(*Work)
	if !ok || r.Method == http.MethodGet {
		return t.next.RoundTrip(r)
	}
	start := time.Now()
	answer, err := t.next.RoundTrip(r)
	s := span{name: "write " + targetOf(r.URL.Path), start: start, end: time.Now(), attributes: []attribute.KeyValue{
		attribute.String("http.request.method", r.Method), attribute.String("url.path", r.URL.Path),
	}}
	switch {
	case err != nil:
		s.failure = err.Error()
	case answer.StatusCode >= http.StatusBadRequest:
		s.failure = answer.Status
	}
	if err == nil {
		s.attributes = append(s.attributes, attribute.Int("http.response.status_code", answer.StatusCode))
	}
	w.noteWrite(s)
	return answer, err
}

// targetOf returns resource and name of a path of the API server: deployments/handler-users.
func targetOf(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for i, part := range parts {
		if part == "namespaces" && i+2 < len(parts) {
			return strings.Join(parts[i+2:], "/")
		}
	}
	return strings.Join(parts, "/")
}

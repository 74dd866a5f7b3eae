package observed

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/tracing"
	"gati.dev/gati/test/support/await"
)

// traceCollector receives traces as an OpenTelemetry collector does.
type traceCollector struct {
	*httptest.Server

	mu    sync.Mutex
	spans []*tracev1.Span
}

var traces = newTraceCollector()

func newTraceCollector() *traceCollector {
	c := &traceCollector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var request collector.ExportTraceServiceRequest
		if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(body, &request) != nil {
			http.Error(w, "not a request of OTLP", http.StatusBadRequest)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, r := range request.ResourceSpans {
			for _, s := range r.ScopeSpans {
				c.spans = append(c.spans, s.Spans...)
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	return c
}

// spansOf returns the spans of a trace by their names.
func (c *traceCollector) spansOf(id string) map[string]*tracev1.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[string]*tracev1.Span{}
	for _, s := range c.spans {
		if hex.EncodeToString(s.TraceId) == id {
			out[s.Name] = s
		}
	}
	return out
}

// TestATraceOfOneApply holds that the collector gets one trace of one apply: admission,
// the decision, each write and the pods that became ready, below one root; and that
// Events and logs have the id, which is computed from what the object shows.
func TestATraceOfOneApply(t *testing.T) {
	ns := makeNamespace(t, "traced")
	h := makeUsersHandler("v1")
	h.Namespace = ns
	applyHandler(t, h)
	h = awaitHealth(t, client.ObjectKeyFromObject(h), v1.Healthy, "v1")
	id := tracing.SubjectOf("GatiHandler", h).ID()
	wanted := []string{"apply", "admission", "decide", "write gatihandlers/users/status", "write deployments", "write services", "pods ready"}
	var spans map[string]*tracev1.Span
	await.Eventually(t, "the whole trace arrives", func() error {
		spans = traces.spansOf(id)
		for _, name := range wanted {
			if spans[name] == nil {
				return fmt.Errorf("no span %q of trace %s: %v", name, id, spanNames(spans))
			}
		}
		return nil
	})
	if plan := h.Status.Plan; plan == nil || plan.Trace != id {
		t.Errorf("the status has the trace %+v, want %s", plan, id)
	}
	root := spans["apply"]
	if len(root.ParentSpanId) > 0 {
		t.Errorf("the root has the parent %x", root.ParentSpanId)
	}
	for name, s := range spans {
		if name != "apply" && !slices.Equal(s.ParentSpanId, root.SpanId) {
			t.Errorf("%s is below %x, want %x", name, s.ParentSpanId, root.SpanId)
		}
		if s.EndTimeUnixNano < s.StartTimeUnixNano {
			t.Errorf("%s ends before it starts", name)
		}
	}
	if ready := spans["pods ready"]; ready.EndTimeUnixNano <= root.EndTimeUnixNano {
		t.Error("the pods were ready before the apply was admitted")
	}
	await.Eventually(t, "Events have the id", func() error {
		out := env.Must(t, "", "-n", ns, "get", "events", "-o", "jsonpath={.items[*].message}")
		if !strings.Contains(out, "(trace "+id+")") {
			return fmt.Errorf("%s", out)
		}
		return nil
	})
	log, err := os.ReadFile(env.Webhook.LogPath())
	if err != nil {
		t.Fatal(err)
	}
	for _, msg := range []string{"admitted", "reconciled"} {
		found := false
		for line := range strings.Lines(string(log)) {
			found = found || strings.Contains(line, `"msg":"`+msg+`"`) && strings.Contains(line, `"trace":"`+id+`"`)
		}
		if !found {
			t.Errorf("no line %q of the log has the trace %s", msg, id)
		}
	}
}

func spanNames(spans map[string]*tracev1.Span) (out []string) {
	for name := range spans {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

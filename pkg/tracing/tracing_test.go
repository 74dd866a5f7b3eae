package tracing

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"

	v1 "gati.dev/gati/api/v1"
)

// TestIDs holds that an id depends on each part of the subject and on nothing else.
func TestIDs(t *testing.T) {
	first := Subject{"GatiHandler", "shop", "users", 3, "abc"}
	h := &v1.GatiHandler{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "users", Generation: 3, UID: "u", Annotations: map[string]string{v1.AnnotationPlan: "abc"}}}
	if got := SubjectOf("GatiHandler", h); got != first {
		t.Errorf("got %+v", got)
	}
	ids := map[string]bool{}
	for _, s := range []Subject{
		first, first, {"GatiModule", "shop", "users", 3, "abc"}, {"GatiHandler", "shop2", "users", 3, "abc"},
		{"GatiHandler", "shop", "users2", 3, "abc"}, {"GatiHandler", "shop", "users", 4, "abc"}, {"GatiHandler", "shop", "users", 3, "abd"},
	} {
		ids[s.ID()] = true
	}
	if len(ids) != 6 {
		t.Errorf("%d ids of 6", len(ids))
	}
}

// roundTrip is a transport.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestOffCostsNothing holds that without a Tracer nothing is wrapped or allocated.
func TestOffCostsNothing(t *testing.T) {
	off, err := New(t.Context(), "", "gati-webhook", "v1", logr.Discard())
	if off != nil || err != nil {
		t.Fatalf("got %v %v", off, err)
	}
	h := &v1.GatiHandler{}
	ctx := t.Context()
	allocations := testing.AllocsPerRun(100, func() {
		_, w := off.Begin(ctx, SubjectOf("GatiHandler", h))
		w.Did("decide", w.Now())
		w.Ready(time.Time{}, time.Time{}, "")
		if w.TraceID() != "" {
			t.Error("there is an id")
		}
		w.End()
	})
	if allocations > 0 {
		t.Errorf("%.0f allocations", allocations)
	}
	r := &events.FakeRecorder{}
	if off.Recorder(r) != events.EventRecorder(r) {
		t.Error("the recorder is wrapped")
	}
	var called bool
	next := roundTrip(func(*http.Request) (*http.Response, error) { called = true; return nil, nil })
	if _, is := off.Wrap(next).(roundTrip); !is || called {
		t.Error("the transport is wrapped")
	}
	if err := off.Shutdown(ctx); err != nil {
		t.Error(err)
	}
}

// TestWritesAreRecorded holds which requests belong to a Work, and how they failed.
func TestWritesAreRecorded(t *testing.T) {
	on := &Tracer{}
	ctx, w := on.Begin(t.Context(), Subject{Name: "users"})
	answers := map[string]error{"/apis/apps/v1/namespaces/shop/deployments/handler-users": nil, "/api/v1/namespaces/shop/services": errors.New("down")}
	transport := on.Wrap(roundTrip(func(r *http.Request) (*http.Response, error) {
		if err := answers[r.URL.Path]; err != nil {
			return nil, err
		}
		return &http.Response{StatusCode: 409, Status: "409 Conflict"}, nil
	}))
	send := func(ctx context.Context, method, path string) {
		r, err := http.NewRequestWithContext(ctx, method, "https://server"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := transport.RoundTrip(r); err == nil && answer.Body != nil {
			_ = answer.Body.Close()
		}
	}
	for path := range answers {
		send(ctx, http.MethodGet, path)
		send(t.Context(), http.MethodPatch, path)
		send(ctx, http.MethodPatch, path)
	}
	got := map[string]string{}
	for _, s := range w.spans {
		got[s.name] = s.failure
	}
	if len(w.spans) != 2 || w.wrote != 2 || got["write deployments/handler-users"] != "409 Conflict" || got["write services"] != "down" {
		t.Errorf("%d writes: %v", w.wrote, got)
	}
}

// noted records Events as they are sent.
type noted struct {
	events.EventRecorder
	notes []string
}

func (n *noted) Eventf(_, _ runtime.Object, _, _, _, _ string, args ...any) {
	n.notes = append(n.notes, args[0].(string))
}

// TestEventsEndWithTheTrace holds the mark, also behind a note of the greatest length.
func TestEventsEndWithTheTrace(t *testing.T) {
	n := &noted{}
	h := &v1.GatiHandler{ObjectMeta: metav1.ObjectMeta{Name: "users"}}
	r := (&Tracer{}).Recorder(n)
	r.Eventf(h, nil, "Normal", "Started", "Rollout", "%s", "v1 → v2")
	r.Eventf(h, nil, "Normal", "Started", "Rollout", "%s", strings.Repeat("→", 341)+"a")
	mark := " (trace " + SubjectOf("GatiHandler", h).ID() + ")"
	if n.notes[0] != "v1 → v2"+mark {
		t.Errorf("got %q", n.notes[0])
	}
	if got := n.notes[1]; len(got) > maxNote || !strings.HasSuffix(got, "→"+mark) || len(got) < maxNote-3 {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

package signals

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"gati.dev/gati/pkg/rollout"
)

// TestOneRequestForAThousandVersions holds what a round costs: one request to a
// source, however many versions there are, and none before the interval is over.
func TestOneRequestForAThousandVersions(t *testing.T) {
	// rows is a parsed answer. Its key is a pod with its namespace, a gateway's
	// name of a Service, or "" for the gateway itself.
	var rows []string
	var asks []Ask
	for i := range 1000 {
		s := users()
		s.Key = Key{"shop", fmt.Sprintf("h%d", i), "v1"}
		s.Deployment = fmt.Sprintf("handler-h%d--v1", i)
		s.Pods[0].Name = fmt.Sprintf("handler-h%d--v1-7d9fcb6c4-x2x4z", i)
		rows = append(rows, fresh(s.Pods[0].Name))
		asks = append(asks, Ask{s, 30 * time.Second})
	}
	server := answering(t, constant(vector(rows...)))
	told := 0
	fake := clocktesting.NewFakePassiveClock(now)
	h := NewHub(fake, func(context.Context, Owner) { told++ }, server.prometheus(t))
	for _, a := range asks {
		h.Want(Owner{a.Namespace, a.Handler}, []Ask{a})
	}
	h.Round(t.Context())
	for _, a := range asks {
		if r, ok := h.Read(a.Key); !ok || !r.Traffic.Known || r.Traffic.Requests != 0 {
			t.Fatalf("%s: %+v", a.Handler, r.Traffic)
		}
	}
	h.Round(t.Context())
	query, _ := server.query.Load().(string)
	t.Logf("1000 versions: %d request of %d bytes, answered with %d KiB", server.asked.Load(), len(query), len(vector(rows...))>>10)
	if n := server.asked.Load(); n != 1 || told != 1000 {
		t.Errorf("%d requests, %d handlers told; want 1 and 1000", n, told)
	}
	fake.SetTime(now.Add(30 * time.Second))
	h.Round(t.Context())
	if n := server.asked.Load(); n != 2 {
		t.Errorf("%d requests after a second interval, want 2", n)
	}
}

// scripted is a source that says what it is told to.
type scripted struct {
	says  rollout.Traffic
	asked []Subject
}

func (s *scripted) Name() string { return "scripted" }

func (s *scripted) Measure(_ context.Context, _ time.Time, subjects []Subject) map[Key]Reading {
	s.asked = subjects
	out := map[Key]Reading{}
	for _, one := range subjects {
		out[one.Key] = Reading{Traffic: s.says}
	}
	return out
}

// TestAHubForgets holds that only wanted workloads are measured.
func TestAHubForgets(t *testing.T) {
	source := &scripted{says: rollout.Traffic{Known: true, At: now}}
	h := NewHub(at(now), nil, source)
	of := Owner{"shop", "users"}
	h.Want(of, []Ask{{users(), time.Second}})
	h.Round(t.Context())
	if _, ok := h.Read(users().Key); !ok {
		t.Fatal("there is no reading")
	}
	h.Want(of, nil)
	source.asked = nil
	h.Round(t.Context())
	if _, ok := h.Read(users().Key); ok || source.asked != nil {
		t.Errorf("read: %v, asked for %v", ok, source.asked)
	}
}

// TestNoSource holds that a hub without a source is an ordinary one.
func TestNoSource(t *testing.T) {
	for _, h := range []*Hub{nil, NewHub(at(now), nil)} {
		h.Want(Owner{"shop", "users"}, []Ask{{users(), time.Second}})
		if _, ok := h.Read(users().Key); ok || h.Configured() {
			t.Error("it measures")
		}
	}
}

// TestAMissedReadingIsNotLost holds that a time without requests is carried on from
// one reading to the next, and not over a request, a gap or a pod that went.
func TestAMissedReadingIsNotLost(t *testing.T) {
	minute := func(n int) time.Time { return now.Add(time.Duration(n) * time.Minute) }
	zero := func(from, to int) rollout.Traffic {
		return rollout.Traffic{Source: "s", Known: true, From: minute(from), At: minute(to)}
	}
	busy, gone := zero(0, 2), zero(1, 4)
	busy.Requests, gone.Lost = 1, true
	for name, tc := range map[string]struct {
		last, next rollout.Traffic
		from       int
	}{
		"without a gap":   {zero(0, 2), zero(1, 4), 0},
		"with a gap":      {zero(0, 2), zero(3, 4), 3},
		"after a request": {busy, zero(1, 4), 1},
		"a pod went":      {zero(0, 2), gone, 1},
		"not known":       {rollout.Traffic{Source: "s", At: minute(2)}, zero(1, 4), 1},
	} {
		if got := extendIdle(Reading{Traffic: tc.last}, Reading{Traffic: tc.next}).Traffic.From; !got.Equal(minute(tc.from)) {
			t.Errorf("%s: from %s, want %s", name, got, minute(tc.from))
		}
	}
}

// TestSeveralSources holds that there is no request only where each says so.
func TestSeveralSources(t *testing.T) {
	zero := rollout.Traffic{Source: "a", Known: true, From: now.Add(-time.Minute), At: now}
	part := rollout.Traffic{Source: "b", Known: true, From: now.Add(-time.Minute), At: now, Partial: true}
	called, partly := zero, part
	called.Requests, partly.Requests = 3, 2
	silent := rollout.Traffic{Source: "b", At: now, Message: "down"}
	for name, tc := range map[string]struct {
		a, b           rollout.Traffic
		known, partial bool
		requests       int64
	}{
		"both see none":             {zero, zero, true, false, 0},
		"one sees some":             {zero, called, true, false, 3},
		"one is silent":             {zero, silent, false, false, 0},
		"the other way":             {silent, zero, false, false, 0},
		"one is silent, one is not": {silent, called, true, false, 3},
		"a gateway sees none":       {zero, part, true, false, 0},
		"a gateway sees some":       {zero, partly, true, false, 2},
		"gateways alone":            {part, part, true, true, 0},
	} {
		for _, pair := range [][2]rollout.Traffic{{tc.a, tc.b}, {tc.b, tc.a}} {
			got := mergeTraffic(pair[0], pair[1])
			if got.Known != tc.known || got.Partial != tc.partial || got.Requests != tc.requests {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
}

// TestQueriesAreOneText shows the one query of a round.
func TestQueriesAreOneText(t *testing.T) {
	server := answering(t, constant(vector(fresh(itsPod))))
	p := server.prometheus(t, func(c *PrometheusConfig) { c.Matcher = `cluster="here"` })
	s := users()
	s.Window = 2 * time.Minute
	p.Measure(t.Context(), now, []Subject{s})
	query, _ := server.query.Load().(string)
	for _, want := range []string{
		`"gati_part", "requests/60"`, `"gati_part", "requests/120"`, `"gati_part", "buckets/120"`, `"gati_part", "alive"`,
		`gati_http_requests_total{pod=~"handler-users--v1-[a-z0-9]+(-[a-z0-9]{5})?",cluster="here"}`,
		`unless gati_http_requests_total`, `offset 60s`,
	} {
		if !strings.Contains(query, want) {
			t.Errorf("%q is not in the query:\n%s", want, query)
		}
	}
	if slices.Contains(strings.Split(query, "\n"), "") {
		t.Error("there is an empty line in the query")
	}
}

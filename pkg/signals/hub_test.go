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

// TestTurns holds that the workloads of an owner are due together, once in each interval,
// and that owners spread over it.
func TestTurns(t *testing.T) {
	const owners, every = 400, 40 * time.Second
	source := &scripted{says: rollout.Traffic{Known: true, At: now}}
	fake := clocktesting.NewFakePassiveClock(now)
	told := map[Owner]int{}
	h := NewHub(fake, func(_ context.Context, of Owner) { told[of]++ }, source)
	for i := range owners {
		of := Owner{"shop", fmt.Sprint("h", i)}
		var subjects []Subject
		for _, workload := range []string{"v1", "v2"} {
			s := users()
			s.Key = Key{of.Namespace, of.Name, workload}
			subjects = append(subjects, measuredEvery(every, s))
		}
		h.Want(of, subjects)
	}
	h.Round(t.Context())
	if len(source.asked) != 2*owners {
		t.Fatalf("%d workloads are measured at once, want all %d", len(source.asked), 2*owners)
	}
	for interval := range 3 {
		clear(told)
		most := 0
		for range every / time.Second {
			fake.SetTime(fake.Now().Add(time.Second))
			source.asked = nil
			h.Round(t.Context())
			most = max(most, len(source.asked))
		}
		if want := 2 * owners / turns * 2; most > want {
			t.Errorf("%d workloads are measured at once, want at most %d", most, want)
		}
		for of, n := range told {
			if n != 1 {
				t.Errorf("interval %d: %s is measured %d times", interval, of.Name, n)
			}
		}
		if len(told) != owners {
			t.Errorf("interval %d: %d owners are measured, want %d", interval, len(told), owners)
		}
	}
}

// TestTurnsBeginWithAStep holds that a subject whose step begins is measured then, whatever its
// turn was, and from then on in each interval.
func TestTurnsBeginWithAStep(t *testing.T) {
	source := &scripted{says: rollout.Traffic{Known: true, At: now}}
	fake := clocktesting.NewFakePassiveClock(now)
	h := NewHub(fake, nil, source)
	of, s := Owner{"shop", "users"}, measuredEvery(15*time.Second, users())
	h.Want(of, []Subject{s})
	h.Round(t.Context())
	begins := now.Add(2 * time.Second)
	s.From = begins
	var measured []time.Duration
	for range 45 {
		h.Want(of, []Subject{s})
		source.asked = nil
		fake.SetTime(fake.Now().Add(time.Second))
		if h.Round(t.Context()); len(source.asked) > 0 {
			measured = append(measured, fake.Now().Sub(begins))
		}
	}
	if want := []time.Duration{0, 15 * time.Second, 30 * time.Second}; !slices.Equal(measured, want) {
		t.Errorf("measured at %v after the step began, want %v", measured, want)
	}
}

// TestADueSubjectEndsTheSleep holds that the hub sleeps until the first subject is due,
// which it knows without a look at all of them.
func TestADueSubjectEndsTheSleep(t *testing.T) {
	fake := clocktesting.NewFakePassiveClock(now)
	h := NewHub(fake, nil, &scripted{says: rollout.Traffic{Known: true, At: now}})
	if got := h.untilNextDue(); got != maxSleep {
		t.Errorf("without a subject it sleeps for %s", got)
	}
	h.Want(Owner{"shop", "users"}, []Subject{measuredEvery(40*time.Second, users())})
	if got := h.untilNextDue(); got != minRoundInterval {
		t.Errorf("before the first reading it sleeps for %s", got)
	}
	h.Round(t.Context())
	due := nextTurn(now, measuredEvery(40*time.Second, users()))
	for _, at := range []time.Time{now, due.Add(-time.Second)} {
		fake.SetTime(at)
		h.Round(t.Context())
		if got, want := h.untilNextDue(), due.Sub(at); got != want {
			t.Errorf("it sleeps for %s, want %s", got, want)
		}
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
	h.Want(of, []Subject{measuredEvery(time.Second, users())})
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
		h.Want(Owner{"shop", "users"}, []Subject{measuredEvery(time.Second, users())})
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
	s.Window, s.Judged = 2*time.Minute, true
	p.Measure(t.Context(), now, []Subject{s})
	query, _ := server.query.Load().(string)
	for _, want := range []string{
		`"gati_part", "requests/60"`, `"gati_part", "requests/120"`, `"gati_part", "counters"`, `"gati_part", "buckets"`, `"gati_part", "alive"`,
		`gati_http_requests_total{namespace=~"shop",pod=~"handler-users--v1-[a-z0-9]+(-[a-z0-9]{5})?",cluster="here"}`,
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

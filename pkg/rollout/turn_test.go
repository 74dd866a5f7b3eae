package rollout_test

import (
	"slices"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// fullTurn lets no rollout begin.
func fullTurn() *rollout.Turn {
	return &rollout.Turn{Bounds: []rollout.Bound{{Scope: "namespace shop", Limit: 5, Taken: 5, Before: 3}}}
}

// declareNext declares what each strategy rolls out: Manual, another template of the version
// that serves.
func declareNext(l *rollouttest.Life) {
	if l.Policy.Strategy == v1.StrategyManual {
		l.Declare("v1", 2)
		return
	}
	l.Declare("v2", 1)
}

// isWaitingForTurn reports whether a handler stands in line, and nothing of the declared
// template runs.
func isWaitingForTurn(t *testing.T, l *rollouttest.Life) bool {
	t.Helper()
	ro := l.State.Rollout
	if ro.WaitingFor == nil || ro.WaitingFor.Reason != v1.WaitingForTurn {
		if ro.QueuedAt != nil {
			t.Errorf("it waits for %+v, and is queued since %s", ro.WaitingFor, ro.QueuedAt)
		}
		return false
	}
	runs := slices.ContainsFunc(l.Last.Workloads, func(w rollout.WorkloadPlan) bool { return w.Unit.Revision == l.Declared.Revision })
	if runs || ro.Phase != v1.RolloutStable || ro.Target != nil || ro.QueuedAt == nil || l.Last.Stalled || rollout.HoldsPlace(ro) {
		t.Errorf("runs %v, phase %s, target %+v, queued at %s, stalled %v", runs, ro.Phase, ro.Target, ro.QueuedAt, l.Last.Stalled)
	}
	return true
}

// TestARolloutWaitsForItsTurn holds that nothing of a new template runs before a place is
// free, and that the rollout begins then.
func TestARolloutWaitsForItsTurn(t *testing.T) {
	for _, strategy := range []v1.Strategy{v1.StrategyCanary, v1.StrategyManual, v1.StrategyRollingUpdate} {
		t.Run(string(strategy), func(t *testing.T) {
			l := settled(t, strategy)
			l.Turn = fullTurn()
			declareNext(l)
			look(t, l)
			since := l.State.Rollout.QueuedAt
			pass(t, l, 10)
			if !isWaitingForTurn(t, l) {
				t.Fatalf("it waits for %+v: %s", l.State.Rollout.WaitingFor, l.Last.Reason)
			}
			if got := l.State.Rollout.QueuedAt; !got.Equal(since) {
				t.Errorf("queued at %s, then at %s", since, got)
			}
			l.Turn.Bounds[0].Taken = 2 // The other three are for those before it.
			look(t, l)
			if !isWaitingForTurn(t, l) {
				t.Error("it begins before those who have waited longer")
			}
			l.Turn.Bounds[0].Before = 2
			look(t, l)
			if isWaitingForTurn(t, l) || !rollout.HoldsPlace(l.State.Rollout) {
				t.Errorf("it does not begin: %+v in phase %s", l.State.Rollout.WaitingFor, l.State.Rollout.Phase)
			}
			l.Turn.Bounds[0].Taken = 5
			pass(t, l, 60)
			if ro := l.State.Rollout; isWaitingForTurn(t, l) || strategy != v1.StrategyCanary && !ro.Stable.SameTemplate(ro.Declared) {
				t.Errorf("under way it is held: %+v", ro.WaitingFor)
			}
		})
	}
}

// TestWhoDoesNotWaitForATurn holds what no bound keeps from beginning.
func TestWhoDoesNotWaitForATurn(t *testing.T) {
	tests := map[string]func(*testing.T) *rollouttest.Life{
		"the first version": func(*testing.T) *rollouttest.Life {
			l := rollouttest.NewLife(rollout.Next, 1)
			l.Turn = fullTurn()
			return l
		},
		"another version in place of the one that is rolled out": func(t *testing.T) *rollouttest.Life {
			l := midway(t, v1.StrategyRollingUpdate)
			l.Turn = fullTurn()
			l.Declare("v3", 1)
			return l
		},
		"the way back": func(t *testing.T) *rollouttest.Life {
			l := midway(t, v1.StrategyCanary)
			l.Ask(request.Promote, request.Full)
			pass(t, l, 20)
			l.Turn = fullTurn()
			l.Ask(request.Rollback, "v1")
			return l
		},
		"a paused handler": func(t *testing.T) *rollouttest.Life {
			l := settled(t, v1.StrategyCanary)
			l.Turn = fullTurn()
			l.Ask(request.Pause, "")
			look(t, l)
			l.Declare("v2", 1)
			return l
		},
		"a version that breaks callers": func(t *testing.T) *rollouttest.Life {
			l := hold(t, v1.StrategyCanary)
			l.Turn = fullTurn()
			return l
		},
	}
	for name, scene := range tests {
		t.Run(name, func(t *testing.T) {
			l := scene(t)
			for range 5 {
				look(t, l)
				if isWaitingForTurn(t, l) {
					t.Fatalf("it waits: %+v", l.State.Rollout.WaitingFor)
				}
				l.Cluster.Pass(time.Second)
			}
		})
	}
}

// TestRequestsInLine holds that what needs a rollout is told that the rollout stands in line, also
// in the moment in which it was applied.
func TestRequestsInLine(t *testing.T) {
	const inLine = "v2 waits for one of 5 rollouts in namespace shop; 3 are before it"
	for _, verb := range []request.Verb{request.Promote, request.Abort} {
		for name, looksFirst := range map[string]bool{"a look later": true, "with its apply": false} {
			t.Run(string(verb)+" "+name, func(t *testing.T) {
				l := settled(t, v1.StrategyCanary)
				l.Turn = fullTurn()
				l.Declare("v2", 1)
				if looksFirst {
					look(t, l)
				}
				wantAnswer(t, makeRequest(t, l, verb, ""), true, inLine)
				if !isWaitingForTurn(t, l) {
					t.Errorf("it waits for %+v", l.State.Rollout.WaitingFor)
				}
			})
		}
	}
}

// TestTurnMessages holds what a user reads, and when the handler looks again.
func TestTurnMessages(t *testing.T) {
	namespace := func(b rollout.Bound) rollout.Bound { b.Scope = "namespace shop"; return b }
	cluster := rollout.Bound{Scope: "the cluster", Limit: 1, Taken: 1}
	tests := map[string]struct {
		bounds []rollout.Bound
		want   string
		after  time.Duration
	}{
		"behind others": {[]rollout.Bound{namespace(rollout.Bound{Limit: 5, Taken: 5, Before: 3})}, "v2 waits for one of 5 rollouts in namespace shop; 3 are before it", 10 * time.Second},
		"the first":     {[]rollout.Bound{namespace(rollout.Bound{Limit: 1, Taken: 1})}, "v2 waits for one of 1 rollout in namespace shop; 0 are before it", 10 * time.Second},
		"one before it": {[]rollout.Bound{namespace(rollout.Bound{Limit: 2, Taken: 1, Before: 1})}, "v2 waits for one of 2 rollouts in namespace shop; 1 is before it", 10 * time.Second},
		"the cluster":   {[]rollout.Bound{namespace(rollout.Bound{Limit: 5}), cluster}, "v2 waits for one of 1 rollout in the cluster; 0 are before it", 10 * time.Second},
		"far behind":    {[]rollout.Bound{namespace(rollout.Bound{Limit: 5, Taken: 5, Before: 300})}, "v2 waits for one of 5 rollouts in namespace shop; 300 are before it", 10 * time.Minute},
		"the last of all": {[]rollout.Bound{namespace(rollout.Bound{Limit: 5, Taken: 5, Before: 9000})}, "v2 waits for one of 5 rollouts in namespace shop; 9000 are before it",
			time.Hour},
		"one is paused": {[]rollout.Bound{namespace(rollout.Bound{Limit: 5, Taken: 5, Blocked: 1, FirstBlocked: "orders"})},
			"v2 waits for one of 5 rollouts in namespace shop; 0 are before it; the rollout of orders is paused or stalled and keeps its place", 10 * time.Second},
		"two are paused": {[]rollout.Bound{namespace(rollout.Bound{Limit: 5, Taken: 5, Blocked: 2, FirstBlocked: "orders"})},
			"v2 waits for one of 5 rollouts in namespace shop; 0 are before it; 2 rollouts are paused or stalled and keep their places, such as orders", 10 * time.Second},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			l := settled(t, v1.StrategyRollingUpdate)
			l.Turn = &rollout.Turn{Bounds: tc.bounds}
			l.Declare("v2", 1)
			look(t, l)
			if w := l.State.Rollout.WaitingFor; w == nil || w.Message != tc.want || w.Until != nil || l.Last.After != tc.after {
				t.Errorf("%+v, looks again in %s; want %q in %s", w, l.Last.After, tc.want, tc.after)
			}
		})
	}
}

// TestHoldsPlace holds which phases take a place.
func TestHoldsPlace(t *testing.T) {
	for phase, want := range map[v1.RolloutPhase]bool{
		"": false, v1.RolloutStarting: false, v1.RolloutStable: false, v1.RolloutProgressing: true, v1.RolloutRollingBack: true, v1.RolloutFailed: true,
	} {
		if got := rollout.HoldsPlace(&v1.RolloutStatus{Phase: phase}); got != want {
			t.Errorf("phase %q: %v", phase, got)
		}
	}
	if rollout.HoldsPlace(nil) {
		t.Error("no rollout holds a place")
	}
}

package rollout_test

import (
	"strings"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// rolledBack is a handler whose declared v2 served, until a user rolled back to v1.
func rolledBack(t *testing.T, strategy v1.Strategy) *rollouttest.Life {
	t.Helper()
	l := second(t, strategy)
	l.Ask(request.Rollback, "")
	pass(t, l, 30)
	if r := l.State.Rollout; r.Pinned == nil || r.Pinned.Version != "v1" || r.Stable.Version != "v1" {
		t.Fatalf("stable %s, pinned %+v: %s", r.Stable.Version, r.Pinned, l.Last.Reason)
	}
	return l
}

// second is a handler whose v2 has taken over from v1.
func second(t *testing.T, strategy v1.Strategy) *rollouttest.Life {
	t.Helper()
	l := settled(t, strategy)
	l.Declare("v2", 1)
	pass(t, l, 12)
	switch strategy {
	case v1.StrategyCanary:
		l.Ask(request.Promote, request.Full)
	case v1.StrategyManual:
		ask(l, 1, 0)
		ask(l, 2, 100)
	}
	pass(t, l, 30)
	if stable := l.State.Rollout.Stable.Version; stable != "v2" {
		t.Fatalf("%s is stable, want v2: %s", stable, l.Last.Reason)
	}
	return l
}

// lastRequest returns the request that was handled last.
func lastRequest(l *rollouttest.Life) v1.HandledRequest {
	all := l.State.Rollout.Requests
	return all[len(all)-1]
}

// handle makes a request and returns how it was handled.
func handle(t *testing.T, l *rollouttest.Life, verb request.Verb, argument string) v1.HandledRequest {
	t.Helper()
	l.Ask(verb, argument)
	look(t, l)
	return lastRequest(l)
}

// TestRollbackToTheDeclaredVersion holds that it is a rollout like any other: it leaves
// no pin, and takes the steps of the strategy.
func TestRollbackToTheDeclaredVersion(t *testing.T) {
	for _, strategy := range []v1.Strategy{v1.StrategyCanary, v1.StrategyRollingUpdate, v1.StrategyManual} {
		t.Run(string(strategy), func(t *testing.T) {
			l := rolledBack(t, strategy)
			if got := handle(t, l, request.Rollback, "v2"); got.Refused {
				t.Fatalf("refused: %s", got.Outcome)
			}
			r := l.State.Rollout
			if r.Pinned != nil || strategy == v1.StrategyCanary && r.Mode != v1.RolloutSteps {
				t.Errorf("pinned %+v, mode %s; want no pin, and steps of a Canary", r.Pinned, r.Mode)
			}
			pass(t, l, 12)
			if strategy == v1.StrategyCanary {
				if w := weightOf(&l.Last, "v2"); w != 10 {
					t.Errorf("v2 has %d %% at the first step, want 10: %s", w, l.Last.Reason)
				}
				l.Ask(request.Promote, request.Full)
			}
			pass(t, l, 30)
			if r := l.State.Rollout; r.Stable.Version != "v2" || r.Pinned != nil || r.WaitingFor != nil {
				t.Errorf("stable %s, pinned %+v, waiting for %+v", r.Stable.Version, r.Pinned, r.WaitingFor)
			}
		})
	}
}

// TestRollbackToTheDeclaredVersionOnTheWay holds that a rollback that is under way ends,
// and that what it went to counts as no failure.
func TestRollbackToTheDeclaredVersionOnTheWay(t *testing.T) {
	l := second(t, v1.StrategyCanary)
	l.Cluster.StartUp = time.Minute
	l.Policy.Replicas = 8
	l.Ask(request.Rollback, "v1")
	look(t, l)
	if got := handle(t, l, request.Rollback, "v2"); got.Refused {
		t.Fatalf("refused: %s", got.Outcome)
	}
	pass(t, l, 30)
	if r := l.State.Rollout; r.Stable.Version != "v2" || r.Pinned != nil || len(r.Rejected) > 0 {
		t.Errorf("stable %s, pinned %+v, rejected %+v: %s", r.Stable.Version, r.Pinned, r.Rejected, l.Last.Reason)
	}
}

// TestRollbackDuringAnAutomaticRollback holds that it means the version that this one
// goes to, not the one before.
func TestRollbackDuringAnAutomaticRollback(t *testing.T) {
	for _, argument := range []string{"", "v2"} {
		l := failing(t)
		got := handle(t, l, request.Rollback, argument)
		if got.Refused || !strings.Contains(got.Outcome, "rolls back to v2") {
			t.Errorf("rollback %q: %+v, want one to v2", argument, got)
		}
		pass(t, l, 30)
		if r := l.State.Rollout; r.Stable.Version != "v2" || r.Pinned == nil || r.Pinned.Version != "v2" {
			t.Errorf("rollback %q: stable %s, pinned %+v; want v2: %s", argument, r.Stable.Version, r.Pinned, l.Last.Reason)
		}
	}
}

// failing is a handler that goes back from v3, which failed, to v2. A gateway that has
// not accepted the weights keeps it there.
func failing(t *testing.T) *rollouttest.Life {
	t.Helper()
	l := second(t, v1.StrategyCanary)
	l.Declare("v3", 1)
	pass(t, l, 20)
	if w := weightOf(&l.Last, "v3"); w != 10 {
		t.Fatalf("v3 has %d %%: %s", w, l.Last.Reason)
	}
	l.Cluster.AcceptLag = time.Hour
	l.Cluster.Qualities[l.Declared.Revision] = rollouttest.CrashLoop
	for range 30 {
		pass(t, l, 1)
		if l.State.Rollout.Phase == v1.RolloutRollingBack {
			l.Cluster.AcceptLag = 0
			return l
		}
	}
	t.Fatalf("phase %s: %s", l.State.Rollout.Phase, l.Last.Reason)
	return nil
}

// TestRollbackBetweenTemplates holds what a version means of which two templates are live:
// the one before, or where that serves already, itself.
func TestRollbackBetweenTemplates(t *testing.T) {
	l := settled(t, v1.StrategyCanary)
	l.Declare("v1", 2)
	pass(t, l, 20)
	if got := handle(t, l, request.Rollback, "v1"); got.Refused || !strings.Contains(got.Outcome, "rolls back to v1 ") {
		t.Fatalf("during the rollout of r2: %+v", got)
	}
	pass(t, l, 30)
	if r := l.State.Rollout; r.Stable.RevisionNumber != 1 {
		t.Fatalf("r%d is stable: %s", r.Stable.RevisionNumber, l.Last.Reason)
	}
	if got := handle(t, l, request.Rollback, "v1"); !got.Refused || !strings.Contains(got.Outcome, "already serves") {
		t.Errorf("once more: %+v", got)
	}
}

// TestRetry holds that what was rejected or aborted is tried again, as is a declared
// version that a rollback has pinned away.
func TestRetry(t *testing.T) {
	aborted := func(t *testing.T, strategy v1.Strategy) *rollouttest.Life {
		l := midway(t, strategy)
		handle(t, l, request.Abort, "")
		pass(t, l, 20)
		return l
	}
	situations := map[string]func(*testing.T) *rollouttest.Life{
		"aborted Canary":           func(t *testing.T) *rollouttest.Life { return aborted(t, v1.StrategyCanary) },
		"aborted RollingUpdate":    func(t *testing.T) *rollouttest.Life { return aborted(t, v1.StrategyRollingUpdate) },
		"rolled back Canary":       func(t *testing.T) *rollouttest.Life { return rolledBack(t, v1.StrategyCanary) },
		"rolled back RollingUpate": func(t *testing.T) *rollouttest.Life { return rolledBack(t, v1.StrategyRollingUpdate) },
		"rolled back Manual":       func(t *testing.T) *rollouttest.Life { return rolledBack(t, v1.StrategyManual) },
		"rolled back on the way": func(t *testing.T) *rollouttest.Life {
			l := midway(t, v1.StrategyCanary)
			handle(t, l, request.Rollback, "")
			pass(t, l, 20)
			return l
		},
		"paused": func(t *testing.T) *rollouttest.Life {
			l := aborted(t, v1.StrategyCanary)
			handle(t, l, request.Pause, "")
			return l
		},
		"failed": func(t *testing.T) *rollouttest.Life {
			l := broken(t)
			l.Cluster.Qualities[l.Declared.Revision] = rollouttest.Good
			return l
		},
	}
	for name, bring := range situations {
		t.Run(name, func(t *testing.T) {
			l := bring(t)
			if got := handle(t, l, request.Retry, ""); got.Refused || !strings.HasPrefix(got.Outcome, "v2 is ") {
				t.Fatalf("%+v", got)
			}
			if r := l.State.Rollout; r.Pinned != nil || len(r.Rejected) > 0 || r.Frozen != nil || r.Failure != "" {
				t.Errorf("pinned %+v, rejected %+v, frozen %+v, failure %q", r.Pinned, r.Rejected, r.Frozen, r.Failure)
			}
			pass(t, l, 20)
			if l.Policy.Strategy == v1.StrategyCanary {
				if w := weightOf(&l.Last, "v2"); w != 10 {
					t.Errorf("v2 has %d %%, want the first step: %s", w, l.Last.Reason)
				}
				l.Ask(request.Promote, request.Full)
			}
			pass(t, l, 40)
			if r := l.State.Rollout; r.Stable.Version != "v2" {
				t.Errorf("%s is stable: %s", r.Stable.Version, l.Last.Reason)
			}
		})
	}
}

// TestRetryIsRefused holds when there is nothing to try again, with the reason.
func TestRetryIsRefused(t *testing.T) {
	tests := map[string]struct {
		bring func(*testing.T) *rollouttest.Life
		want  string
	}{
		"serving":     {func(t *testing.T) *rollouttest.Life { return settled(t, v1.StrategyCanary) }, "v1 already serves"},
		"in place":    {func(t *testing.T) *rollouttest.Life { return settled(t, v1.StrategyRollingUpdate) }, "v1 already serves"},
		"progressing": {func(t *testing.T) *rollouttest.Life { return midway(t, v1.StrategyCanary) }, "v2 is already being rolled out"},
		"rolling":     {func(t *testing.T) *rollouttest.Life { return midway(t, v1.StrategyRollingUpdate) }, "v2 is already being rolled out"},
		"held":        {func(t *testing.T) *rollouttest.Life { return hold(t, v1.StrategyCanary) }, breaking},
		"held and aborted": {func(t *testing.T) *rollouttest.Life {
			l := midway(t, v1.StrategyCanary)
			handle(t, l, request.Abort, "")
			l.Records["v2"] = rollout.Record{Held: breaking}
			return l
		}, breaking},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := handle(t, tc.bring(t), request.Retry, ""); !got.Refused || !strings.Contains(got.Outcome, tc.want) {
				t.Errorf("%+v, want a refusal with %q", got, tc.want)
			}
		})
	}
}

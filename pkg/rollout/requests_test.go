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

// situations are where a handler may be when a user asks for something.
var situations = map[string]func(*testing.T) *rollouttest.Life{
	"idle":        func(t *testing.T) *rollouttest.Life { return settled(t, v1.StrategyCanary) },
	"progressing": func(t *testing.T) *rollouttest.Life { return midway(t, v1.StrategyCanary) },
	"failed":      func(t *testing.T) *rollouttest.Life { return broken(t) },
	"manual":      func(t *testing.T) *rollouttest.Life { return settled(t, v1.StrategyManual) },
	"rolling":     func(t *testing.T) *rollouttest.Life { return midway(t, v1.StrategyRollingUpdate) },
	"rolled":      func(t *testing.T) *rollouttest.Life { return settled(t, v1.StrategyRollingUpdate) },
}

// TestRequests is the table of what each request does where.
func TestRequests(t *testing.T) {
	const idle = "no rollout is running"
	tests := []struct {
		in, verb, argument string
		want               string
		refused            bool
	}{
		{"idle", "promote", "", idle, true},
		{"progressing", "promote", "", "v2 moves from step 1 (10 %) to step 2 (50 %)", false},
		{"progressing", "promote", "full", "v2 moves from step 1 (10 %) to step 3 (100 %)", false},
		{"failed", "promote", "", "v2 moves from step 1 (10 %) to step 2 (50 %)", false},
		{"manual", "promote", "", "kubectl gati version set-traffic", true},
		{"rolling", "promote", "", "v2 has no steps to skip", true},
		{"rolled", "promote", "", idle, true},

		{"idle", "pause", "", "paused until resumed", false},
		{"progressing", "pause", "", "paused until resumed", false},
		{"manual", "pause", "", "paused until resumed", false},
		{"rolling", "pause", "", "paused until resumed", false},
		{"idle", "resume", "", "not paused", true},
		{"progressing", "resume", "", "not paused", true},
		{"manual", "resume", "", "not paused", true},
		{"rolling", "resume", "", "not paused", true},
		{"rolled", "resume", "", "not paused", true},

		{"idle", "abort", "", idle, true},
		{"progressing", "abort", "", "v2 is rolled back to v1", false},
		{"failed", "abort", "", "v2 is rolled back to v1", false},
		{"manual", "abort", "", idle, true},
		{"rolling", "abort", "", "v2 is rolled back to v1", false},
		{"rolled", "abort", "", idle, true},

		{"idle", "rollback", "", "no earlier version", true},
		{"idle", "rollback", "v1", "v1 already serves", true},
		{"idle", "rollback", "v9", "no such version: v9", true},
		{"progressing", "rollback", "", "rolls back to v1 and stays there until the spec changes", false},
		{"progressing", "rollback", "v2", "v2 is already being rolled out", true},
		{"failed", "rollback", "", "rolls back to v1", false},
		{"manual", "rollback", "v1", "v1 already serves", true},
		{"rolling", "rollback", "", "rolls back to v1", false},

		{"idle", "restart", "", "replaces the pods of 1 workload", false},
		{"progressing", "restart", "", "replaces the pods of 2 workloads", false},
		{"manual", "restart", "", "replaces the pods of 1 workload", false},
		{"rolling", "restart", "", "replaces the pods of 1 workload", false},
		{"rolled", "restart", "", "replaces the pods of 1 workload", false},

		{"idle", "decommission", "v1", "v1 cannot be removed: it is the stable version", true},
		{"progressing", "decommission", "v2", "v2 cannot be removed: it is being rolled out", true},
		{"idle", "decommission", "v9", "no such version: v9", true},
		{"manual", "decommission", "v1", "v1 cannot be removed: it is the stable version", true},
		{"rolling", "decommission", "v1", "v1 cannot be removed: it is the stable version", true},
		{"rolling", "decommission", "v2", "v2 cannot be removed: it is being rolled out", true},
		{"rolled", "decommission", "v1", "v1 cannot be removed: it is the stable version", true},
		{"idle", "override", "allow-breaking", "nothing holds the declared version back", true},
	}
	for _, tc := range tests {
		t.Run(tc.in+"/"+tc.verb+":"+tc.argument, func(t *testing.T) {
			l := situations[tc.in](t)
			l.Ask(request.Verb(tc.verb), tc.argument)
			look(t, l)
			requests := l.State.Rollout.Requests
			got := requests[len(requests)-1]
			if !strings.Contains(got.Outcome, tc.want) || got.Refused != tc.refused {
				t.Errorf("outcome %q, refused %v; want %q, %v", got.Outcome, got.Refused, tc.want, tc.refused)
			}
			look(t, l)
			if n := len(l.State.Rollout.Requests); n != len(requests) {
				t.Errorf("%d requests handled, want %d: each once", n, len(requests))
			}
		})
	}
}

// A rollback within the window writes all of the weight at once, and stays until
// the spec changes.
func TestRollbackIsImmediateAndPinned(t *testing.T) {
	l := midway(t, v1.StrategyCanary)
	l.Ask(request.Promote, request.Full)
	pass(t, l, 30)
	if stable := l.State.Rollout.Stable.Version; stable != "v2" {
		t.Fatalf("%s is stable, want v2: %s", stable, l.Last.Reason)
	}
	l.Ask(request.Rollback, "")
	look(t, l)
	if w := weightOf(&l.Last, "v1"); w != 100 {
		t.Errorf("v1 has %d %% in the decision that rolls back, want 100", w)
	}
	pass(t, l, 30)
	if r := l.State.Rollout; r.Stable.Version != "v1" || r.Pinned == nil || r.Pinned.By != "jane" {
		t.Errorf("stable %s, pinned %+v; want v1, by jane", r.Stable.Version, r.Pinned)
	}
	l.ChangePolicy(func(p *rollout.Policy) { p.RollbackWindow++ })
	look(t, l)
	if r := l.State.Rollout; r.Pinned != nil || r.Target == nil || r.Target.Version != "v2" {
		t.Errorf("after the spec changed: pinned %+v, target %+v; want v2 again", r.Pinned, r.Target)
	}
}

// TestRequestsAboutWhatIsJustApplied asks about a version in the moment of its apply, as a
// script does that has no reason to wait.
func TestRequestsAboutWhatIsJustApplied(t *testing.T) {
	tests := []struct {
		strategy v1.Strategy
		verb     request.Verb
		want     string
		refused  bool
	}{
		{v1.StrategyCanary, request.Promote, "v2 moves from step 1 (10 %) to step 2 (50 %)", false},
		{v1.StrategyCanary, request.Abort, "v2 is rolled back to v1", false},
		{v1.StrategyRollingUpdate, request.Promote, "v2 has no steps to skip", true},
		{v1.StrategyRollingUpdate, request.Abort, "v2 is rolled back to v1", false},
	}
	for _, tc := range tests {
		t.Run(string(tc.strategy)+" "+string(tc.verb), func(t *testing.T) {
			l := settled(t, tc.strategy)
			l.Declare("v2", 1)
			l.Ask(tc.verb, "")
			look(t, l)
			handled := l.State.Rollout.Requests
			if len(handled) != 1 || !strings.Contains(handled[0].Outcome, tc.want) || handled[0].Refused != tc.refused {
				t.Fatalf("%+v, want %q, refused: %t", handled, tc.want, tc.refused)
			}
			pass(t, l, 20)
			if rejected := l.State.Rollout.Rejected != nil; rejected != (tc.verb == request.Abort) {
				t.Errorf("rejected: %t: %s", rejected, l.Last.Reason)
			}
		})
	}
}

// settled is a handler whose first version serves.
func settled(t *testing.T, strategy v1.Strategy) *rollouttest.Life {
	t.Helper()
	l := rollouttest.NewLife(rollout.Next, 1)
	l.Policy = rollout.Policy{
		Strategy: strategy, Replicas: 4, Min: 1, Gateway: true, AutoRollback: true,
		ProgressDeadline: 10 * time.Minute, RollbackWindow: time.Hour, DrainDeadline: time.Hour, MinAge: time.Hour, MinActive: 1,
	}
	l.Cluster.Source, l.Cluster.Callers = rollouttest.NoSource, 0
	pass(t, l, 20)
	if l.State.Rollout.Phase != v1.RolloutStable {
		t.Fatalf("phase %s: %s", l.State.Rollout.Phase, l.Last.Reason)
	}
	return l
}

// midway is a handler that is being rolled out: a Canary at 10 %.
func midway(t *testing.T, strategy v1.Strategy) *rollouttest.Life {
	t.Helper()
	l := settled(t, strategy)
	l.Declare("v2", 1)
	if strategy == v1.StrategyRollingUpdate {
		look(t, l)
		return l
	}
	pass(t, l, 20)
	if w := weightOf(&l.Last, "v2"); w != 10 {
		t.Fatalf("v2 has %d %%, want 10: %s", w, l.Last.Reason)
	}
	return l
}

// TestAResumedStepIsNotShort holds that the time at which a step began is whole seconds after a
// pause, as it is stored, and that what was frozen is no part of its pause.
func TestAResumedStepIsNotShort(t *testing.T) {
	l := midway(t, v1.StrategyCanary)
	began := l.State.Rollout.StepStartedAt.Time
	l.Ask(request.Pause, "")
	look(t, l)
	l.Cluster.Pass(1300 * time.Millisecond)
	l.Ask(request.Resume, "")
	look(t, l)
	if at := l.State.Rollout.StepStartedAt.Time; at.Before(began.Add(1300*time.Millisecond)) || at.Nanosecond() != 0 {
		t.Errorf("it counts from %s, began at %s and was frozen for 1.3s", at, began)
	}
}

// broken is a handler whose rollout failed and stays where it is.
func broken(t *testing.T) *rollouttest.Life {
	t.Helper()
	l := settled(t, v1.StrategyCanary)
	l.Policy.AutoRollback = false
	l.Declare("v2", 1)
	l.Cluster.Qualities[l.Declared.Revision] = rollouttest.CrashLoop
	pass(t, l, 2)
	l.Cluster.Pass(2 * time.Minute)
	look(t, l)
	if l.State.Rollout.Phase != v1.RolloutFailed {
		t.Fatalf("phase %s: %s", l.State.Rollout.Phase, l.Last.Reason)
	}
	return l
}

// pass lets some time go by, ten seconds a look.
func pass(t *testing.T, l *rollouttest.Life, looks int) {
	t.Helper()
	for range looks {
		look(t, l)
		l.Cluster.Pass(10 * time.Second)
	}
}

func look(t *testing.T, l *rollouttest.Life) {
	t.Helper()
	if err := l.Look(); err != nil {
		t.Fatal(err)
	}
}

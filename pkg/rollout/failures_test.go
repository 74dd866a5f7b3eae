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

// TestRestartsAreJudgedPerPodAndTime holds how many restarts fail a rollout: as many as
// there are pods, at least three, within ten minutes.
func TestRestartsAreJudgedPerPodAndTime(t *testing.T) {
	tests := map[string]struct {
		replicas int32
		// restarts are those of each minute.
		restarts []int32
		want     bool
	}{
		"three of one pod":               {4, []int32{3}, true},
		"three of one pod, one a minute": {4, []int32{1, 1, 1}, true},
		"two of one pod":                 {4, []int32{2}, false},
		"three of a hundred pods":        {1000, []int32{3}, false},
		"ninety-nine of a hundred pods":  {1000, []int32{50, 49}, false},
		"a hundred of a hundred pods":    {1000, []int32{50, 50}, true},
		"one every six minutes":          {4, []int32{1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1}, false},
		"three a while after another":    {4, []int32{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1}, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			l := settled(t, v1.StrategyCanary)
			l.Policy.Replicas, l.Policy.Steps = tc.replicas, []rollout.Step{{Weight: 10, Pause: time.Hour}}
			pass(t, l, 12)
			l.Declare("v2", 1)
			pass(t, l, 12)
			for _, n := range tc.restarts {
				l.Cluster.Restart("v2", n)
				pass(t, l, 6)
			}
			if got := len(l.State.Rollout.Rejected) > 0; got != tc.want {
				t.Errorf("rejected: %v, want %v: %s", got, tc.want, l.Last.Reason)
			}
		})
	}
}

// TestARestartBeginsTheStepAnew holds that no step is taken before its pause has passed without
// a restart.
func TestARestartBeginsTheStepAnew(t *testing.T) {
	l := settled(t, v1.StrategyCanary)
	l.Policy.Steps = []rollout.Step{{Weight: 10, Pause: 5 * time.Minute}, {Weight: 50, Pause: time.Hour}}
	l.Declare("v2", 1)
	for range 200 {
		if pass(t, l, 1); l.State.Rollout.StepStartedAt != nil {
			break
		}
	}
	began := *l.State.Rollout.StepStartedAt
	l.Cluster.Pass(4 * time.Minute)
	l.Cluster.Restart("v2", 1)
	pass(t, l, 1)
	if again := l.State.Rollout.StepStartedAt; again.Sub(began.Time) < 4*time.Minute {
		t.Fatalf("the step began at %s, and again at %s", began, again)
	}
	l.Cluster.Pass(4 * time.Minute)
	pass(t, l, 1)
	if w := weightOf(&l.Last, "v2"); w != 10 {
		t.Errorf("v2 has %d %%: %s", w, l.Last.Reason)
	}
	l.Cluster.Pass(2 * time.Minute)
	pass(t, l, 24)
	if w := weightOf(&l.Last, "v2"); w != 50 {
		t.Errorf("v2 has %d %% without another restart: %s", w, l.Last.Reason)
	}
}

// TestACrashTakesTheTrafficAway holds that a version that crashes keeps no traffic once none of
// its pods is ready.
func TestACrashTakesTheTrafficAway(t *testing.T) {
	l := midway(t, v1.StrategyCanary)
	l.Cluster.Qualities["v2-r1"] = rollouttest.CrashLoop
	l.Cluster.Restart("v2", 1)
	look(t, l)
	if w := weightOf(&l.Last, "v2"); w != 0 || len(l.State.Rollout.Rejected) != 1 {
		t.Errorf("v2 has %d %%: %s", w, l.Last.Reason)
	}
	if why := l.State.Rollout.Rejected[0].Reason; !strings.Contains(why, "restarted once and none of its pods is ready") {
		t.Error(why)
	}
}

// TestAFormerRestartIsNoCrash holds that a version that restarted and came back has its time when
// its pods are down for a moment later.
func TestAFormerRestartIsNoCrash(t *testing.T) {
	l := midway(t, v1.StrategyCanary)
	l.Cluster.Restart("v2", 1)
	pass(t, l, 4)
	l.Cluster.Qualities["v2-r1"] = rollouttest.NeverReady
	look(t, l)
	if w := weightOf(&l.Last, "v2"); w != 10 || len(l.State.Rollout.Rejected) > 0 {
		t.Fatalf("v2 has %d %%: %s", w, l.Last.Reason)
	}
	l.Cluster.Restart("v2", 1)
	look(t, l)
	if w := weightOf(&l.Last, "v2"); w != 0 {
		t.Errorf("v2 has %d %% after a restart: %s", w, l.Last.Reason)
	}
}

// TestWhatAnyVersionWouldMeetRejectsNone holds that a quota stalls a rollout after the
// deadline and no earlier, that the version goes on once there is room, and that it has
// its whole deadline then.
func TestWhatAnyVersionWouldMeetRejectsNone(t *testing.T) {
	for _, strategy := range []v1.Strategy{v1.StrategyCanary, v1.StrategyRollingUpdate} {
		t.Run(string(strategy), func(t *testing.T) {
			l := settled(t, strategy)
			l.Cluster.Full = true
			l.Declare("v2", 1)
			pass(t, l, 55)
			w := l.State.Rollout.WaitingFor
			if l.Last.Stalled || w == nil || w.Reason != v1.WaitingForInfrastructure || w.Until == nil {
				t.Fatalf("stalled before the deadline: %v, waiting for %+v", l.Last.Stalled, w)
			}
			pass(t, l, 60)
			if r := l.State.Rollout; !l.Last.Stalled || len(r.Rejected) > 0 || r.Target == nil {
				t.Errorf("stalled: %v, rejected: %+v", l.Last.Stalled, r.Rejected)
			}
			l.Cluster.Full = false
			l.Cluster.StartUp = 8 * time.Minute
			pass(t, l, 40)
			if r := l.State.Rollout; l.Last.Stalled || len(r.Rejected) > 0 {
				t.Errorf("with room again, stalled: %v, rejected: %+v", l.Last.Stalled, r.Rejected)
			}
			l.Ask(request.Promote, request.Full)
			pass(t, l, 120)
			if r := l.State.Rollout; r.Stable.Version != "v2" {
				t.Errorf("%s serves: %s", r.Stable.Version, l.Last.Reason)
			}
		})
	}
}

// TestAnInterruptedRolloutBeginsAgain holds that a version that loses all of its pods to
// the cluster gives its traffic back and takes it again later.
func TestAnInterruptedRolloutBeginsAgain(t *testing.T) {
	l := midway(t, v1.StrategyCanary)
	l.Cluster.Full = true
	l.Cluster.Evict("v2")
	pass(t, l, 8)
	if r := l.State.Rollout; weightOf(&l.Last, "v2") != 0 || len(r.Rejected) > 0 || r.Target == nil || r.Target.Version != "v2" {
		t.Fatalf("v2 has %d %%, rejected: %+v: %s", weightOf(&l.Last, "v2"), r.Rejected, l.Last.Reason)
	}
	l.Cluster.Full = false
	pass(t, l, 20)
	if w := weightOf(&l.Last, "v2"); w != 10 {
		t.Errorf("v2 has %d %%: %s", w, l.Last.Reason)
	}
}

// TestARollingUpdateGoesBack holds that a template that makes no progress for
// progressDeadline is rejected, and that the one before runs again.
func TestARollingUpdateGoesBack(t *testing.T) {
	l := midway(t, v1.StrategyRollingUpdate)
	l.Cluster.Qualities["v2-r1"] = rollouttest.NeverReady
	pass(t, l, 55)
	if r := l.State.Rollout; r.Target == nil || r.Target.Version != "v2" || r.WaitingFor.Until == nil {
		t.Fatalf("before the deadline: %+v", r)
	}
	pass(t, l, 10)
	r := l.State.Rollout
	if len(r.Rejected) != 1 || !strings.Contains(r.Rejected[0].Reason, "no progress for 10m (deadline 10m)") || r.Stable.Version != "v1" || r.Target != nil {
		t.Fatalf("rejected %+v, %s serves: %s", r.Rejected, r.Stable.Version, l.Last.Reason)
	}
	if plan := l.Last.Workloads; len(plan) != 1 || plan[0].Unit.Version != "v1" {
		t.Errorf("planned: %+v", plan)
	}
	pass(t, l, 30)
	if r := l.State.Rollout; r.Phase != v1.RolloutStable || r.WaitingFor == nil || r.WaitingFor.Reason != v1.WaitingForSpecChange {
		t.Errorf("in phase %s, waiting for %+v", r.Phase, r.WaitingFor)
	}
	l.Declare("v3", 1)
	pass(t, l, 30)
	if r := l.State.Rollout; r.Stable.Version != "v3" || len(r.Rejected) > 0 {
		t.Errorf("%s serves, rejected: %+v", r.Stable.Version, r.Rejected)
	}
}

// TestARollingUpdateStaysWithoutAutoRollback holds that it stalls instead, and ends well if
// the pods become ready after all.
func TestARollingUpdateStaysWithoutAutoRollback(t *testing.T) {
	l := midway(t, v1.StrategyRollingUpdate)
	l.Policy.AutoRollback = false
	l.Cluster.Qualities["v2-r1"] = rollouttest.NeverReady
	pass(t, l, 70)
	if r := l.State.Rollout; !l.Last.Stalled || r.Target == nil || len(r.Rejected) > 0 {
		t.Fatalf("stalled: %v, rejected: %+v", l.Last.Stalled, r.Rejected)
	}
	l.Cluster.Qualities["v2-r1"] = rollouttest.Good
	pass(t, l, 5)
	if r := l.State.Rollout; l.Last.Stalled || r.Stable.Version != "v2" {
		t.Errorf("stalled: %v, %s serves", l.Last.Stalled, r.Stable.Version)
	}
}

// TestAGrowingWorkloadMeetsAQuota holds that a handler at rest that grows and finds no room is
// told as stalled at progressDeadline, as a rollout is, and heals.
func TestAGrowingWorkloadMeetsAQuota(t *testing.T) {
	l := settled(t, v1.StrategyRollingUpdate)
	l.Policy.Replicas *= 3
	l.Cluster.Full = true
	pass(t, l, 55)
	if l.Last.Stalled || l.State.Rollout.WaitingFor.Reason != v1.WaitingForInfrastructure {
		t.Fatalf("before the deadline: stalled: %v, waiting for %+v", l.Last.Stalled, l.State.Rollout.WaitingFor)
	}
	pass(t, l, 10)
	if r := l.State.Rollout; !l.Last.Stalled || r.Stable.Version != "v1" || len(r.Rejected) > 0 {
		t.Fatalf("stalled: %v, rejected: %+v: %s", l.Last.Stalled, r.Rejected, l.Last.Reason)
	}
	l.Cluster.Full = false
	pass(t, l, 5)
	if l.Last.Stalled || l.State.Rollout.WaitingFor != nil {
		t.Errorf("stalled: %v, waiting for %+v", l.Last.Stalled, l.State.Rollout.WaitingFor)
	}
}

// TestPodsThatAreMadeEndNoOutage holds that a handler at rest without a ready pod stays stalled
// while its pods are made, and until one of them is ready.
func TestPodsThatAreMadeEndNoOutage(t *testing.T) {
	l := settled(t, v1.StrategyRollingUpdate)
	l.Policy.Replicas = 0
	pass(t, l, 5)
	l.Policy.Replicas, l.Cluster.Jammed = 3, true
	revision := l.State.Rollout.Stable.Revision
	l.Cluster.Qualities[revision] = rollouttest.NeverReady
	pass(t, l, 70)
	if !l.Last.Stalled {
		t.Fatalf("not stalled while no workload can be written: %s", l.Last.Reason)
	}
	l.Cluster.Jammed = false
	pass(t, l, 5)
	if !l.Last.Stalled {
		t.Errorf("not stalled, with pods that are not ready: %s", l.Last.Reason)
	}
	l.Cluster.Qualities[revision] = rollouttest.Good
	pass(t, l, 10)
	if l.Last.Stalled || l.State.Rollout.WaitingFor != nil {
		t.Errorf("stalled: %v, waiting for %+v", l.Last.Stalled, l.State.Rollout.WaitingFor)
	}
}

// TestASpecChangeForgetsRestarts holds that a rollout that failed by restarts and begins anew
// with another spec does not fail by the same ones again.
func TestASpecChangeForgetsRestarts(t *testing.T) {
	l := midway(t, v1.StrategyCanary)
	l.Policy.AutoRollback = false
	l.Cluster.Restart(l.State.Rollout.Target.Workload, 5)
	pass(t, l, 1)
	if ro := l.State.Rollout; ro.Phase != v1.RolloutFailed {
		t.Fatalf("after its restarts it is %s: %s", ro.Phase, l.Last.Reason)
	}
	l.ChangePolicy(func(p *rollout.Policy) { p.AutoRollback = true })
	pass(t, l, 2)
	if ro := l.State.Rollout; ro.Phase != v1.RolloutProgressing {
		t.Errorf("with another spec it is %s: %s", ro.Phase, l.Last.Reason)
	}
}

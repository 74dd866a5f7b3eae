package rollout_test

import (
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/request"
)

// silent is a Canary whose gateway answers no write any more.
func silent(t *testing.T) *rollouttest.Life {
	t.Helper()
	l := settled(t, v1.StrategyCanary)
	l.Cluster.Dead = true
	l.Declare("v2", 1)
	for weightOf(&l.Last, "v2") == 0 {
		pass(t, l, 1)
	}
	return l
}

// TestASilentGatewayStalls holds that a gateway that never answers is reported after
// progressDeadline and no earlier, that nothing is rolled back for it, and that the rollout
// goes on once it answers.
func TestASilentGatewayStalls(t *testing.T) {
	l := silent(t)
	pass(t, l, 50)
	if l.Last.Stalled {
		t.Fatalf("stalled before the deadline: %s", l.Last.Reason)
	}
	pass(t, l, 20)
	r := l.State.Rollout
	if !l.Last.Stalled || r.WaitingFor.Reason != v1.WaitingForGateway || r.WaitingFor.Until == nil {
		t.Errorf("stalled: %v, waiting for %+v", l.Last.Stalled, r.WaitingFor)
	}
	if w := weightOf(&l.Last, "v2"); w != 10 || len(r.Rejected) > 0 {
		t.Errorf("v2 has %d %%, rejected: %v", w, r.Rejected)
	}
	l.Cluster.Dead = false
	pass(t, l, 3)
	if r := l.State.Rollout; l.Last.Stalled || r.WaitingFor.Reason != v1.WaitingForPause || r.RefusedSince != nil {
		t.Errorf("stalled: %v, waiting for %+v since %s", l.Last.Stalled, r.WaitingFor, r.RefusedSince)
	}
}

// TestTheDeadlineOfAGatewayCountsFromTheLastWrite holds that each write has the whole
// deadline, and that the way back is reported as well.
func TestTheDeadlineOfAGatewayCountsFromTheLastWrite(t *testing.T) {
	l := silent(t)
	pass(t, l, 40)
	l.Ask(request.Abort, "")
	pass(t, l, 40)
	if l.Last.Stalled {
		t.Fatalf("stalled before the deadline: %s", l.Last.Reason)
	}
	l.Cluster.Pass(4 * time.Minute)
	look(t, l)
	if r := l.State.Rollout; !l.Last.Stalled || r.Phase != v1.RolloutRollingBack {
		t.Errorf("stalled: %v in phase %s: %s", l.Last.Stalled, r.Phase, l.Last.Reason)
	}
}

// TestAWayBackWithoutPodsStalls holds that a rollback that waits for pods of the stable
// version is reported at the deadline, and ends once they are there.
func TestAWayBackWithoutPodsStalls(t *testing.T) {
	l := midway(t, v1.StrategyCanary)
	l.Ask(request.Promote, request.Full)
	for weightOf(&l.Last, "v2") < 100 {
		pass(t, l, 1)
	}
	l.Cluster.Full = true
	l.Cluster.Evict("v1")
	l.Ask(request.Abort, "")
	pass(t, l, 50)
	if r := l.State.Rollout; l.Last.Stalled || r.Phase != v1.RolloutRollingBack || r.WaitingFor.Reason != v1.WaitingForInfrastructure || r.WaitingFor.Until == nil {
		t.Fatalf("stalled: %v in phase %s, waiting for %+v", l.Last.Stalled, r.Phase, r.WaitingFor)
	}
	pass(t, l, 20)
	if !l.Last.Stalled {
		t.Errorf("not stalled: %s", l.Last.Reason)
	}
	l.Cluster.Full = false
	pass(t, l, 20)
	if r := l.State.Rollout; l.Last.Stalled || r.Phase != v1.RolloutStable || r.Stable.Version != "v1" {
		t.Errorf("stalled: %v in phase %s: %s", l.Last.Stalled, r.Phase, l.Last.Reason)
	}
}

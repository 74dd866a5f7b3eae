package rollout_test

import (
	"strings"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/rollout"
)

// TestAFirstStartGoesOnWithoutItsStatus holds that a process that ends between the first
// Deployment and the first status leaves a version that is starting, and none that serves:
// another one takes its place without steps.
func TestAFirstStartGoesOnWithoutItsStatus(t *testing.T) {
	for _, strategy := range []v1.Strategy{v1.StrategyCanary, v1.StrategyRollingUpdate} {
		t.Run(string(strategy), func(t *testing.T) {
			l := starting(t, strategy)
			l.Wipe()
			look(t, l)
			if l.State.Rollout.Phase != v1.RolloutStarting {
				t.Fatalf("the phase is %s", l.State.Rollout.Phase)
			}
			l.Declare("v2", 2)
			pass(t, l, 8)
			if s := l.State.Rollout; s.Phase != v1.RolloutStable || s.Stable.Version != "v2" {
				t.Errorf("%s, stable is %s", s.Phase, s.Stable.Title())
			}
			if v := unitOf(l, "v1"); v.Weight != 0 {
				t.Errorf("v1 has %d %% of the traffic", v.Weight)
			}
			for _, e := range l.State.Rollout.History {
				if strings.Contains(e.Why, "was ever ready") {
					t.Errorf("its history claims what cannot be known: %s", e.Why)
				}
			}
		})
	}
}

// TestAStatusLostInAnOutageHasAStableVersion holds that what has served is no first start.
func TestAStatusLostInAnOutageHasAStableVersion(t *testing.T) {
	l := starting(t, v1.StrategyCanary)
	l.Cluster.Qualities[l.Declared.Revision] = rollouttest.Good
	pass(t, l, 4)
	l.Declare("v2", 2)
	l.Cluster.Qualities[l.Declared.Revision] = rollouttest.NeverReady
	pass(t, l, 1)
	l.Cluster.Evict(unitOf(l, "v1").Workload)
	l.Wipe()
	look(t, l)
	if s := l.State.Rollout; s.Phase == v1.RolloutStarting || s.Stable.Version != "v1" {
		t.Errorf("%s, stable is %s", s.Phase, s.Stable.Title())
	}
}

// TestALostStatusWaitsForEveryWorkloadOfTheRoute holds that nothing is decided while a
// workload that the route names was not seen, also where its weight is 0: the gateway may
// still send it requests, and it would go.
func TestALostStatusWaitsForEveryWorkloadOfTheRoute(t *testing.T) {
	l := starting(t, v1.StrategyCanary)
	l.Cluster.Qualities[l.Declared.Revision] = rollouttest.Good
	pass(t, l, 8)
	l.Declare("v2", 1)
	pass(t, l, 200)
	first := unitOf(l, "v1").Workload
	if l.State.Rollout.Stable.Version != "v2" || first == "" {
		t.Fatalf("stable is %s, v1 runs in %q: %s", l.State.Rollout.Stable.Title(), first, l.Last.Reason)
	}
	l.Wipe()
	in := l.Input()
	if weight, named := in.Route.Weights[first]; !named || weight != 0 {
		t.Fatalf("the route is %v", in.Route.Weights)
	}
	if d := rollout.Next(in); d.Undecided {
		t.Fatalf("nothing is decided where all is seen: %s", d.Reason)
	}
	delete(in.Workloads, first)
	if d := rollout.Next(in); !d.Undecided || !strings.Contains(d.Reason, first) {
		t.Errorf("without %s: undecided %v, %s", first, d.Undecided, d.Reason)
	}
}

// starting is a handler whose first version has pods that do not become ready.
func starting(t *testing.T, strategy v1.Strategy) *rollouttest.Life {
	t.Helper()
	l := rollouttest.NewLife(rollout.Next, 1)
	l.Policy = rollout.Policy{
		Strategy: strategy, Replicas: 2, Min: 1, Gateway: true, AutoRollback: true, ProgressDeadline: 10 * time.Minute,
		DrainWindow: 5 * time.Minute, DrainDeadline: 12 * time.Hour, MinAge: time.Second, MinActive: 1,
	}
	l.Cluster.Source = rollouttest.NoSource
	l.Cluster.Qualities[l.Declared.Revision] = rollouttest.NeverReady
	look(t, l)
	if l.State.Rollout.Phase != v1.RolloutStarting {
		t.Fatalf("the phase is %s", l.State.Rollout.Phase)
	}
	return l
}

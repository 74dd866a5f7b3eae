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

// TestAStableVersionWaitsForItsRoute holds that a handler to which nothing happens waits, with
// the reason, while a parent refuses its route, has not claimed it or lags; that it stalls
// after progressDeadline and no earlier; and that no weight moves for it.
func TestAStableVersionWaitsForItsRoute(t *testing.T) {
	for name, tc := range map[string]struct {
		spoil func(*rollout.Route)
		want  v1.WaitingReason
		says  string
	}{
		"refused":     {func(r *rollout.Route) { r.Parents[0].Accepted, r.Parents[0].Message = false, "NotAllowedByListeners" }, v1.WaitingForRoute, "NotAllowedByListeners"},
		"no backends": {func(r *rollout.Route) { r.Parents[0].ResolvedRefs = false }, v1.WaitingForRoute, "backends"},
		"unclaimed":   {func(r *rollout.Route) { r.Parents[0].Claimed = false }, v1.WaitingForRoute, "no controller has claimed"},
		"lags":        {func(r *rollout.Route) { r.Parents[0].ObservedGeneration-- }, v1.WaitingForGateway, "has observed generation"},
	} {
		for _, strategy := range []v1.Strategy{v1.StrategyCanary, v1.StrategyManual, v1.StrategyRollingUpdate} {
			t.Run(name+"/"+string(strategy), func(t *testing.T) {
				l := settled(t, strategy)
				l.Next = before(func(in *rollout.Input) { tc.spoil(&in.Route) })
				pass(t, l, 50)
				w := l.State.Rollout.WaitingFor
				if w == nil || w.Reason != tc.want || w.Until == nil || l.Last.Stalled || !strings.Contains(w.Message, tc.says) {
					t.Fatalf("stalled: %v, waits for %+v: %s", l.Last.Stalled, w, l.Last.Reason)
				}
				pass(t, l, 20)
				if !l.Last.Stalled || weightOf(&l.Last, l.State.Rollout.Stable.Workload) != 100 {
					t.Errorf("stalled: %v: %s", l.Last.Stalled, l.Last.Reason)
				}
				l.Next = rollout.Next
				pass(t, l, 2)
				if r := l.State.Rollout; l.Last.Stalled || r.WaitingFor != nil || r.RefusedSince != nil {
					t.Errorf("once it is served: stalled: %v, waits for %+v since %s", l.Last.Stalled, r.WaitingFor, r.RefusedSince)
				}
			})
		}
	}
}

// TestAVersionWithoutEndpointsServesNothing holds that no sentence says that a version serves
// while none of its pods can be reached, and that it stalls after progressDeadline.
func TestAVersionWithoutEndpointsServesNothing(t *testing.T) {
	for _, strategy := range []v1.Strategy{v1.StrategyCanary, v1.StrategyManual, v1.StrategyRollingUpdate} {
		t.Run(string(strategy), func(t *testing.T) {
			l := settled(t, strategy)
			l.Next = seeing(func(w *rollout.Workload) { w.Ready = 0 })
			pass(t, l, 50)
			w := l.State.Rollout.WaitingFor
			if l.Last.Stalled || w == nil || w.Reason != v1.WaitingForPods || strings.Contains(l.Last.Reason, "serves") {
				t.Fatalf("stalled: %v, waits for %+v: %s", l.Last.Stalled, w, l.Last.Reason)
			}
			pass(t, l, 20)
			if !l.Last.Stalled || len(l.State.Rollout.Rejected) > 0 {
				t.Errorf("stalled: %v, rejected %v: %s", l.Last.Stalled, l.State.Rollout.Rejected, l.Last.Reason)
			}
			l.Next = rollout.Next
			pass(t, l, 2)
			if r := l.State.Rollout; l.Last.Stalled || r.WaitingFor != nil || r.ShortSince != nil {
				t.Errorf("once its pods are back: stalled: %v, waits for %+v since %s", l.Last.Stalled, r.WaitingFor, r.ShortSince)
			}
		})
	}
}

// TestALostStableVersionGivesItsTrafficAway holds that a canary takes over from a stable version
// that has had no ready pod for progressDeadline, and no earlier, also where it is promoted
// meanwhile; a pause keeps it where it is.
func TestALostStableVersionGivesItsTrafficAway(t *testing.T) {
	for name, tc := range map[string]struct {
		early, late request.Verb
		want        int32
	}{
		"left alone":         {},
		"promoted meanwhile": {late: request.Promote},
		"paused":             {early: request.Pause, want: 50},
	} {
		t.Run(name, func(t *testing.T) {
			l := settled(t, v1.StrategyCanary)
			l.Policy.Steps = []rollout.Step{{Weight: 50, Pause: 4 * time.Hour}, {Weight: 51, Pause: 4 * time.Hour}}
			stable := l.State.Rollout.Stable.Workload
			ask := func(verb request.Verb) {
				if verb != "" {
					l.Ask(verb, "")
				}
			}
			l.Declare("v2", 2)
			pass(t, l, 10)
			ask(tc.early)
			l.Cluster.Qualities[l.State.Rollout.Stable.Revision] = rollouttest.NeverReady
			pass(t, l, 50)
			ask(tc.late)
			pass(t, l, 8)
			if got := weightOf(&l.Last, stable); got < 49 {
				t.Fatalf("it has %d %% before its deadline: %s", got, l.Last.Reason)
			}
			pass(t, l, 30)
			if got := weightOf(&l.Last, stable); got != tc.want || len(l.State.Rollout.Rejected) > 0 {
				t.Errorf("it has %d %%, rejected %v: %s", got, l.State.Rollout.Rejected, l.Last.Reason)
			}
		})
	}
}

// TestALossIsSeenByTheDecisionThatLeadsToIt holds that a target that gets its first weight takes
// over in the same decision from a stable version that was lost while checks kept it waiting.
func TestALossIsSeenByTheDecisionThatLeadsToIt(t *testing.T) {
	l := settled(t, v1.StrategyCanary)
	l.Policy.Steps = []rollout.Step{{Weight: 50, Pause: 4 * time.Hour}}
	stable := l.State.Rollout.Stable.Workload
	l.Cluster.Qualities[l.State.Rollout.Stable.Revision] = rollouttest.NeverReady
	l.Declare("v2", 2)
	l.Cluster.Qualities[l.Declared.Revision] = rollouttest.NeverReady
	pass(t, l, 50)
	l.Cluster.Qualities[l.Declared.Revision] = rollouttest.Good
	l.Cluster.Pass(2 * time.Minute)
	if err := rollouttest.Deterministic(rollout.Next, l.Input()); err != nil {
		t.Error(err)
	}
	look(t, l)
	if got := weightOf(&l.Last, stable); got != 0 || l.State.Rollout.DownSince != nil {
		t.Errorf("it has %d %%, down since %s: %s", got, l.State.Rollout.DownSince, l.Last.Reason)
	}
}

// TestPodsThatTheDecisionAddsAreMissed holds that a handler that is scaled from 0 pods is waited
// for by the decision that scales it, and not only by the next one.
func TestPodsThatTheDecisionAddsAreMissed(t *testing.T) {
	for _, strategy := range []v1.Strategy{v1.StrategyCanary, v1.StrategyManual, v1.StrategyRollingUpdate} {
		l := settled(t, strategy)
		l.Policy.Replicas = 0
		pass(t, l, 300)
		l.Policy.Replicas = 3
		if err := rollouttest.Deterministic(rollout.Next, l.Input()); err != nil {
			t.Errorf("%s: %v", strategy, err)
		}
		look(t, l)
		if w := l.State.Rollout.WaitingFor; w == nil || w.Reason != v1.WaitingForPods {
			t.Errorf("%s waits for %+v: %s", strategy, w, l.Last.Reason)
		}
	}
}

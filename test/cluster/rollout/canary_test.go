package rollout_test

import (
	"testing"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// makeCanary returns a handler that goes 10 → 50 → 100 with short pauses.
func (w *world) makeCanary(version string) *builders.Handler {
	return builders.MakeHandler("users").Namespace(w.ns).Image("app:"+version).Replicas(4).Path("/users").Gateway(w.gateway).
		Strategy(v1.StrategyCanary).Step(10, "2s").Step(50, "2s").Step(100, "").Spec(func(s *v1.GatiHandlerSpec) {
		s.Rollout.RollbackWindow = "3s"
		s.Versions = &v1.VersionPolicy{MinAge: "1s", Drain: &v1.Drain{Window: "1s", Deadline: "3s"}}
	})
}

// TestCanaryTakesItsSteps follows a canary from the first version to the end of
// the old one.
func TestCanaryTakesItsSteps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.applyHandler(w.makeCanary("v1").Obj())
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	film := w.recordHandler("users")
	w.applyHandler(w.makeCanary("v2").Obj())
	h := w.awaitPhase("users", "v2 100", v1.RolloutStable)
	frames := film.awaitStatesUntil(h)
	t.Logf("%d writes of the handler, that of its user included", len(frames)-1)
	assertPassed(t, frames, acceptedWeights, "v1 90 v2 10", "v1 50 v2 50", "v1 0 v2 100", "v2 100")
	if !hasHistoryEntry(h, "Decommissioned") || h.Status.Selector != "gati.dev/handler=users,gati.dev/workload=v2" {
		t.Errorf("selector %s\n%s", h.Status.Selector, describeHandler(h))
	}
	w.awaitStory("users", "Ready=True")
	// Nothing is configured, and simulated pods answer nothing: the deadline decides.
	if v := lastDraining(frames, "v1"); v.TrafficSource != v1.TrafficSourceNone || v.Stays == nil || v.Stays.Reason == v1.StaysTrafficUnknown {
		t.Errorf("v1 drains with the source %q and stays for %+v", v.TrafficSource, v.Stays)
	}
}

// lastDraining returns the last state of a version that drained.
func lastDraining(frames []*v1.GatiHandler, version string) (out v1.VersionStatus) {
	for _, f := range frames {
		for _, v := range f.Status.Versions {
			if v.Version == version && v.DrainingSince != nil {
				out = v
			}
		}
	}
	return out
}

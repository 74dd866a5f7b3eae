package rollout_test

import (
	"errors"
	"strings"
	"testing"

	v1 "gati.dev/gati/api/v1"
)

// Where the handlers of TestChangesOfStrategyAndSteps are when their user changes the spec.

// at is a canary of v2 at a step that lasts until it is promoted.
func at(weight int32) func(*world) {
	return func(w *world) {
		w.applyHandler(w.makeCanary("v1").Obj())
		w.awaitPhase("users", "v1 100", v1.RolloutStable)
		w.applyHandler(w.makeCanary("v2").Spec(stepsTo(v1.RolloutStep{Weight: weight})).Obj())
		w.awaitPhase("users", map[int32]string{25: "v1 75 v2 25", 75: "v1 25 v2 75"}[weight], v1.RolloutProgressing)
	}
}

func finished(w *world) {
	w.applyHandler(w.makeCanary("v1").Obj())
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	w.applyHandler(w.makeCanary("v2").Obj())
	w.awaitPhase("users", "v2 100", v1.RolloutStable)
}

func rolled(w *world) {
	w.applyHandler(w.makeCanary("v2").Strategy(v1.StrategyRollingUpdate).Obj())
	w.eventually("v2 in main", func() error { return w.fullyRuns("handler-users", "v2", 4) })
}

func shared(w *world) {
	manual := func(version string) *v1.GatiHandler { return w.makeCanary(version).Strategy(v1.StrategyManual).Obj() }
	w.applyHandler(manual("v1"))
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	w.applyHandler(manual("v2"))
	w.awaitPhase("users", "v1 100 v2 0", v1.RolloutStable)
	w.setTrafficShare("users-v2", 40)
	w.awaitPhase("users", "v1 60 v2 40", v1.RolloutStable)
}

// What their user changes.

func stepsTo(steps ...v1.RolloutStep) func(*v1.GatiHandlerSpec) {
	return func(s *v1.GatiHandlerSpec) { s.Rollout.Steps = steps }
}

func strategyTo(strategy v1.Strategy) func(*v1.GatiHandlerSpec) {
	return func(s *v1.GatiHandlerSpec) { s.Rollout.Strategy = strategy }
}

func withoutSteps(s *v1.GatiHandlerSpec) {
	s.Rollout.Strategy, s.Rollout.Steps = v1.StrategyRollingUpdate, nil
}

func toNext(change func(*v1.GatiHandlerSpec)) func(*v1.GatiHandlerSpec) {
	return func(s *v1.GatiHandlerSpec) {
		change(s)
		s.Image = "app:v3"
	}
}

// TestChangesOfStrategyAndSteps has twelve rows of pkg/rollout's table on pods: what a change
// leads to, without a weight of v2 that falls where v2 stays declared.
func TestChangesOfStrategyAndSteps(t *testing.T) {
	t.Parallel()
	quarter, half := v1.RolloutStep{Weight: 25}, v1.RolloutStep{Weight: 50}
	for name, row := range map[string]struct {
		scene  func(*world)
		change func(*v1.GatiHandlerSpec)
		// main is the version that the workload main runs in the end, where there is one.
		main, weights string
		phase         v1.RolloutPhase
	}{
		"25 % to RollingUpdate":               {scene: at(25), change: strategyTo(v1.StrategyRollingUpdate), main: "v2"},
		"25 % to RollingUpdate without steps": {scene: at(25), change: withoutSteps, main: "v2"},
		"25 % to RollingUpdate of v3":         {scene: at(25), change: toNext(withoutSteps), main: "v3"},
		"25 % to Manual":                      {scene: at(25), change: strategyTo(v1.StrategyManual), weights: "v1 75 v2 25", phase: v1.RolloutStable},
		"25 % to another first step":          {scene: at(25), change: stepsTo(half), weights: "v1 50 v2 50", phase: v1.RolloutProgressing},
		"75 % to fewer steps":                 {scene: at(75), change: stepsTo(half), weights: "v1 25 v2 75", phase: v1.RolloutProgressing},
		"75 % to RollingUpdate":               {scene: at(75), change: strategyTo(v1.StrategyRollingUpdate), main: "v2"},
		"100 % to RollingUpdate":              {scene: finished, change: withoutSteps, main: "v2"},
		"100 % to RollingUpdate of v3":        {scene: finished, change: toNext(withoutSteps), main: "v3"},
		"RollingUpdate to a Canary of v3": {scene: rolled, change: toNext(func(s *v1.GatiHandlerSpec) {
			strategyTo(v1.StrategyCanary)(s)
			stepsTo(quarter)(s)
		}), weights: "v2 75 v3 25", phase: v1.RolloutProgressing},
		"40 % by records to RollingUpdate": {scene: shared, change: withoutSteps, main: "v2"},
		"40 % by records to a Canary": {scene: shared, change: func(s *v1.GatiHandlerSpec) {
			strategyTo(v1.StrategyCanary)(s)
			stepsTo(quarter)(s)
		}, weights: "v1 60 v2 40", phase: v1.RolloutProgressing},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			row.scene(w)
			film := w.recordHandler("users")
			w.changeHandler("users", func(h *v1.GatiHandler) { row.change(&h.Spec) })
			w.eventually("a decision on the new spec", func() error {
				if h := w.readHandler("users"); h.Status.ObservedGeneration != h.Generation {
					return errors.New("not yet")
				}
				return nil
			})
			if row.main != "" {
				w.eventually(row.main+" in main", func() error { return w.fullyRuns("handler-users", row.main, 4) },
					func() string { return describeHandler(w.readHandler("users")) })
			} else {
				w.awaitPhase("users", row.weights, row.phase)
			}
			last := w.awaitStory("users", "Stalled=False")
			if last.Spec.Image == "app:v2" {
				assertNeverFalls(t, film.awaitStatesUntil(last), "v2")
			}
		})
	}
}

// assertNeverFalls holds that a version never had less traffic than before, in whichever
// workload.
func assertNeverFalls(t *testing.T, frames []*v1.GatiHandler, version string) {
	t.Helper()
	var before int32
	for _, f := range frames {
		var now int32
		for _, v := range f.Status.Versions {
			if v.Version == version {
				now += v.Weight
			}
		}
		if now < before {
			t.Errorf("%s fell from %d %% to %d %%; it went\n%s", version, before, now, strings.Join(distinctStates(frames, decidedWeights), "\n"))
			return
		}
		before = now
	}
}

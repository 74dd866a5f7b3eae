package rollout_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/test/support/gateway"
)

// lost is a canary at a step that loses what it rests on, and what happens to it then.
type lost struct {
	*world
	step       int
	what, then string
}

// lossSteps has the weights at each step.
var lossSteps = []string{"v1 90 v2 10", "v1 50 v2 50", "v1 0 v2 100"}

const (
	// lossOfAPI is the loss that all handlers of a cluster have at once.
	lossOfAPI    = "the API of the gateway"
	lossOfStable = "the endpoints of stable"
	lossOfPods   = "its pods are gone"
)

// losses takes one thing away from a canary each.
var losses = map[string]func(*world){
	"the image of the namespace": func(w *world) { w.annotate(v1.AnnotationImage, nil) },
	"the target":                 func(w *world) { w.annotate(v1.AnnotationTarget, "unknown") },
	lossOfStable:                 func(w *world) { w.setPodsReady("v1", corev1.ConditionFalse) },
	"nothing":                    func(*world) {},
	lossOfAPI:                    func(*world) {},
}

// TestLosses takes the image of the namespace, the target, the API of the gateway or the
// endpoints away from canaries at each step: a version whose pods are gone loses its weight,
// and abort and rollback are answered. GATI_SOAK=losses tries the whole table. It has the
// cluster to itself.
func TestLosses(t *testing.T) {
	isChosen := soak.Share(t, "losses", 5)
	var some, ofAPI []*lost
	for _, what := range slices.Sorted(maps.Keys(losses)) {
		for step := range lossSteps {
			for _, then := range []string{"abort", "rollback", lossOfPods} {
				switch l := (&lost{nil, step, what, then}); {
				case !isChosen():
				case what == lossOfAPI:
					ofAPI = append(ofAPI, l)
				default:
					some = append(some, l)
				}
			}
		}
	}
	stageLosses(t, slices.Concat(some, ofAPI))
	for _, l := range some {
		losses[l.what](l.world)
	}
	assertGoBack(some)
	removeRouteAPI(t)
	assertGoBack(ofAPI)
	if err := gateway.Install(t.Context(), cluster); err != nil {
		t.Fatal(err)
	}
	for _, l := range ofAPI {
		l.awaitPhase("users", "v1 100 v2 0", v1.RolloutStable)
	}
}

// stageLosses brings canaries to their steps, all of them at once.
func stageLosses(t *testing.T, all []*lost) {
	t.Helper()
	for _, l := range all {
		l.world = newWorld(t)
		l.setImage("app:v1")
		l.applyHandler(l.makeLongCanary("").Image("").Spec(func(s *v1.GatiHandlerSpec) {
			s.Rollout.Steps = []v1.RolloutStep{{Weight: 10}, {Weight: 50}, {Weight: 100, Pause: "1h"}}
			s.Rollout.ProgressDeadline = "30s"
			if l.what == lossOfStable && l.then != lossOfPods {
				s.Rollout.ProgressDeadline = "10m" // The request comes first.
			}
		}).Obj())
	}
	for _, l := range all {
		l.awaitPhase("users", "v1 100", v1.RolloutStable)
		l.setImage("app:v2")
	}
	for step, weights := range lossSteps {
		for _, l := range all {
			if step > l.step {
				continue
			}
			l.awaitPhase("users", weights, v1.RolloutProgressing)
			if step < l.step {
				l.requestAsAdmin("users", "promote")
			}
		}
	}
}

// describe names a canary in a failed test.
func (l *lost) describe() string {
	return fmt.Sprintf("canary at %q that lost %s (%s)", lossSteps[l.step], l.what, l.then)
}

// wantedWeights are those in the end: what has lost its pods has no traffic.
func (l *lost) wantedWeights() string {
	if l.what == lossOfStable && l.then == lossOfPods {
		return "v1 0 v2 100"
	}
	return "v1 100 v2 0"
}

// assertGoBack holds that no weight stays with a version whose pods are gone, and that a
// canary has none once a user has asked for that. The deadlines of all run at once.
func assertGoBack(all []*lost) {
	for _, l := range all {
		l.t.Helper()
		l.endCanary()
	}
	for _, l := range all {
		l.eventually(l.describe()+" going back", func() error {
			if got := decidedWeights(l.readHandler("users")); got != l.wantedWeights() {
				return errors.New(got)
			}
			return nil
		}, func() string { return describeHandler(l.readHandler("users")) })
	}
}

// endCanary takes the pods of the canary away, or makes the request of its user.
func (l *lost) endCanary() {
	l.t.Helper()
	switch {
	case l.then == lossOfPods && l.what == lossOfStable:
		return
	case l.then == lossOfPods:
		l.setPodsReady("v2", corev1.ConditionFalse)
		return
	}
	l.requestAsAdmin("users", l.then)
	l.awaitAnswer(l.then)
	if l.what == lossOfStable {
		l.setPodsReady("v1", corev1.ConditionTrue)
	}
}

// awaitAnswer waits until a request of a verb was handled, and was not refused.
func (l *lost) awaitAnswer(verb string) {
	l.t.Helper()
	l.eventually(l.describe()+" answered", func() error {
		for _, r := range l.readHandler("users").Status.Rollout.Requests {
			if r.Refused {
				return fmt.Errorf("%s is refused: %s", r.Request, r.Outcome)
			}
			if strings.HasPrefix(r.Request, verb) {
				return nil
			}
		}
		return errors.New("not yet")
	}, func() string { return describeHandler(l.readHandler("users")) })
}

// removeRouteAPI removes the CRD of routes, and with it every route.
func removeRouteAPI(t *testing.T) {
	t.Helper()
	if _, err := cluster.Run(t.Context(), "", "delete", "crd", "httproutes.gateway.networking.k8s.io"); err != nil {
		t.Fatal(err)
	}
}

package handler

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/target"
)

// longWait is beyond the deadline of a rollout.
const longWait = time.Hour

// TestAStartCountsFromItsServices holds that the time until a new handler's Services are there
// does not count for the deadline of its pods, which nothing reaches until then: in a crowd
// their stage comes late. The bars of the design hold there as well.
func TestAStartCountsFromItsServices(t *testing.T) {
	for _, strategy := range []v1.Strategy{v1.StrategyRollingUpdate, v1.StrategyCanary, v1.StrategyManual} {
		t.Run(string(strategy), func(t *testing.T) {
			h := builders.MakeHandler("users").Path("/users").Version("v1").Image("app:v1").Default().Strategy(strategy)
			if strategy == v1.StrategyCanary {
				h.Step(100, "")
			}
			w := newWorld(t, h.Obj())
			before := w.written()
			w.reconcileOnce()
			name := w.deploymentName()
			w.setReady(name)
			w.clock.Step(longWait)
			for range 3 {
				w.reconcileOnce()
			}
			w.addEndpoints(name, 1)
			w.clock.Step(10 * time.Second)
			w.settle()
			w.checkCondition(v1.ConditionReady, metav1.ConditionTrue, "Ready", "")
			w.checkEvents("Ready")
			if writes := w.written() - before; writes > 4 {
				t.Errorf("%d writes of the status, at most 4", writes)
			}
		})
	}
}

// TestAStartHasItsDeadline holds that pods which stay out of reach after all children are
// there are reported once their deadline is over.
func TestAStartHasItsDeadline(t *testing.T) {
	w := newWorld(t, builders.MakeHandler("users").Path("/users").Version("v1").Image("app:v1").Default().Strategy(v1.StrategyCanary).Step(100, "").Obj())
	w.reconcileOnce()
	w.clock.Step(longWait)
	for range 3 {
		w.reconcileOnce()
	}
	w.checkEvents()
	w.clock.Step(longWait)
	w.reconcileOnce()
	w.checkCondition(v1.ConditionReady, metav1.ConditionFalse, "ProgressDeadlineExceeded", "")
	w.checkEvents("ProgressDeadlineExceeded")
}

// TestALostRaceOfARoute holds that an update of a route which has lost a race takes Ready from no
// handler.
func TestALostRaceOfARoute(t *testing.T) {
	for name, tc := range map[string]struct {
		child target.Child
		want  bool
	}{
		"an update of a route": {target.Child{Kind: routeKind, HasRaced: true, IsOutdated: true}, false},
		"a create of a route":  {target.Child{Kind: routeKind, HasRaced: true}, true},
		"a Deployment":         {target.Child{Kind: deploymentKind, HasRaced: true, IsOutdated: true}, true},
		"a failure":            {target.Child{Kind: routeKind, Problem: errNoAnswer}, true},
		"a removal, or a sync": {target.Child{Kind: routeKind}, true},
	} {
		out := target.Outcome{Children: []target.Child{{Kind: "Service"}, tc.child}, Again: time.Second}
		if got := hasUnwrittenPods(out); got != tc.want {
			t.Errorf("%s: pods are to be written: %t, want %t", name, got, tc.want)
		}
	}
	if hasUnwrittenPods(target.Outcome{}) {
		t.Error("where nothing fails, pods are to be written")
	}
}

// TestAChildThatIsNotThereTakesReady holds that a handler is not Ready while a child is missing
// whose create has lost a race: the cache shows nothing, and the API server an object that is
// about to go.
func TestAChildThatIsNotThereTakesReady(t *testing.T) {
	w := newWorld(t, builders.MakeHandler("users").Path("/users").Version("v1").Image("app:v1").Default().Obj())
	w.reconcileOnce()
	name := w.deploymentName()
	w.setReady(name)
	w.addEndpoints(name, 1)
	w.fail = func(verb string, obj client.Object) error {
		if verb == "create" && obj.GetObjectKind().GroupVersionKind().Kind == "Service" {
			return apierrors.NewAlreadyExists(corev1.Resource("services"), obj.GetName())
		}
		return nil
	}
	w.reconcileOnce()
	w.clock.Step(10 * time.Second)
	w.reconcileOnce()
	for _, c := range w.handler().Status.Conditions {
		if c.Type == v1.ConditionReady && c.Status == metav1.ConditionTrue {
			t.Errorf("without its Service the handler is Ready: %s", c.Message)
		}
	}
	w.fail = func(string, client.Object) error { return nil }
	w.clock.Step(time.Minute)
	w.settle()
	w.checkCondition(v1.ConditionReady, metav1.ConditionTrue, "Ready", "")
}

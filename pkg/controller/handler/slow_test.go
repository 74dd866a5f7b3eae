package handler

import (
	"slices"
	"strconv"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
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

// TestAStartCountsFromItsLastChild holds that the time until a new handler's Services are
// there does not count for the deadline of its pods, which nothing reaches until then: not the
// wait for its turn in a crowd, and not what the API server takes for each of them.
func TestAStartCountsFromItsLastChild(t *testing.T) {
	for _, strategy := range []v1.Strategy{v1.StrategyRollingUpdate, v1.StrategyCanary, v1.StrategyManual} {
		for name, tc := range map[string]struct{ turn, create time.Duration }{
			"the turn comes late":    {turn: longWait},
			"the Services come late": {create: longWait},
			"both":                   {longWait, longWait},
		} {
			t.Run(string(strategy)+" "+name, func(t *testing.T) {
				h := builders.MakeHandler("users").Path("/users").Version("v1").Image("app:v1").Default().Strategy(strategy)
				if strategy == v1.StrategyCanary {
					h.Step(100, "")
				}
				w := newWorld(t, h.Obj())
				w.fail = func(verb string, obj client.Object) error {
					if verb == "create" && obj.GetObjectKind().GroupVersionKind().Kind == "Service" {
						w.clock.Step(tc.create)
					}
					return nil
				}
				before := w.written()
				w.reconcileOnce()
				name := w.deploymentName()
				w.setReady(name)
				w.clock.Step(tc.turn)
				w.reconcileOnce()
				w.addEndpoints(name)
				w.clock.Step(10 * time.Second)
				w.reconcileOnce()
				w.settle()
				w.checkCondition(v1.ConditionReady, metav1.ConditionTrue, "Ready", "")
				w.checkEvents("Ready")
				if writes := w.written() - before; writes > 2 {
					t.Errorf("%d writes of the status, at most 2", writes)
				}
			})
		}
	}
}

// TestAStartHasItsDeadline holds that pods which stay out of reach after all children are there
// are told of once their deadline is over.
func TestAStartHasItsDeadline(t *testing.T) {
	w := newWorld(t, builders.MakeHandler("users").Path("/users").Version("v1").Image("app:v1").Default().Strategy(v1.StrategyCanary).Step(100, "").Obj())
	w.reconcileOnce()
	w.clock.Step(longWait)
	w.reconcileOnce()
	w.checkEvents()
	w.clock.Step(longWait)
	w.reconcileOnce()
	w.checkCondition(v1.ConditionReady, metav1.ConditionFalse, "ProgressDeadlineExceeded", "")
	w.checkEvents("ProgressDeadlineExceeded")
}

// TestARecordIsCreatedOnce holds that a record which the cache does not show yet is not created
// once more, and that one which is gone is.
func TestARecordIsCreatedOnce(t *testing.T) {
	w := newWorld(t, builders.MakeHandler("users").Path("/users").Version("v1").Image("app:v1").Default().Obj())
	const created = "create GatiVersion users-v1"
	w.reconcileOnce()
	w.reconcileOnce()
	if !slices.Contains(w.writes, created) {
		t.Fatalf("the record is not created: %q", w.writes)
	}
	var record v1.GatiVersion
	w.must(w.get(&record, "users-v1"))
	w.must(w.live.Delete(t.Context(), &record)) // As a cache that lags shows it.
	result, err := w.reconcile()
	w.must(err)
	if slices.Contains(w.writes, created) || result.RequeueAfter == 0 || result.RequeueAfter > maxBehind {
		t.Errorf("it is created again: %q; looked at again after %s", w.writes, result.RequeueAfter)
	}
	w.clock.Step(maxBehind)
	w.reconcileOnce()
	if !slices.Contains(w.writes, created) {
		t.Errorf("a record that is gone is not created: %q", w.writes)
	}
}

// written returns how often the handler was written.
func (w *world) written() int {
	w.t.Helper()
	n, err := strconv.Atoi(w.handler().ResourceVersion)
	w.must(err)
	return n
}

// deploymentName returns the name of the only Deployment.
func (w *world) deploymentName() string {
	w.t.Helper()
	var list appsv1.DeploymentList
	w.must(w.live.List(w.t.Context(), &list))
	if len(list.Items) != 1 {
		w.t.Fatalf("%d Deployments", len(list.Items))
	}
	return list.Items[0].Name
}

// TestLittleIsWrittenOfAStart holds that the number of pods is not written while none of a first
// version is ready, that the status waits for the endpoints once all are, and that both are
// written when that takes too long.
func TestLittleIsWrittenOfAStart(t *testing.T) {
	w := newWorld(t, builders.MakeHandler("users").Path("/users").Version("v1").Image("app:v1").Default().Strategy(v1.StrategyCanary).Step(100, "").Obj())
	w.reconcileOnce()
	w.reconcileOnce()
	const name = "handler-users--v1"
	hold := func(what string, wait time.Duration, want int) {
		t.Helper()
		before := w.written()
		w.clock.Step(wait)
		w.reconcileOnce()
		if got := w.written() - before; got != want {
			t.Errorf("%s: %d writes of the status, want %d", what, got, want)
		}
	}
	var d appsv1.Deployment
	w.must(w.get(&d, name))
	d.Status = appsv1.DeploymentStatus{ObservedGeneration: d.Generation, Replicas: 1, UpdatedReplicas: 1}
	w.must(w.live.Status().Update(t.Context(), &d))
	hold("a pod is there", 0, 0)
	hold("a pod is there for long", time.Minute, 0)
	w.setReady(name)
	hold("it is ready", 0, 0)
	hold("its endpoints are missing", patience, 0)
	hold("its endpoints stay missing", startPatience, 1)
	w.addEndpoints(name)
	hold("its endpoints are there", 10*time.Second, 1)
	w.checkCondition(v1.ConditionReady, metav1.ConditionTrue, "Ready", "")
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
		s := &story{outcome: target.Outcome{Children: []target.Child{{Kind: "Service"}, tc.child}, Again: time.Second}}
		if got := s.hasUnwrittenPods(); got != tc.want {
			t.Errorf("%s: pods are to be written: %t, want %t", name, got, tc.want)
		}
	}
	if (&story{}).hasUnwrittenPods() {
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
	w.addEndpoints(name)
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

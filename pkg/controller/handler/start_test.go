package handler

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
)

// TestANewHandlersPodsComeFirst holds that the first turn of a new handler writes its
// Deployment with what the pods read, the second all else, and that no Event tells of that.
func TestANewHandlersPodsComeFirst(t *testing.T) {
	w := newWorld(t, routed().Obj())
	_, err := w.reconcile()
	w.must(err)
	if got := strings.Join(w.writes, ", "); !strings.HasSuffix(got, "create Deployment handler-users") || strings.Contains(got, "Service") || strings.Contains(got, "GatiVersion") {
		t.Errorf("the first turn writes %s", got)
	}
	stored := w.handler().Status
	_, err = w.reconcile()
	w.must(err)
	for _, want := range []string{"create Service handler-users", "create HTTPRoute handler-users", "create GatiVersion users-v1"} {
		if !slices.Contains(w.writes, want) {
			t.Errorf("the second turn writes %q, want %s", w.writes, want)
		}
	}
	if now := w.handler().Status; len(now.Children) != len(stored.Children) || *now.Plan != *stored.Plan {
		t.Errorf("the status of the first turn lacks what the second wrote: %+v, then %+v", stored.Children, now.Children)
	}
	w.settle()
	if w.r.memory.recall(w.handler()).isStarted {
		t.Error("a handler whose children are all there counts as started")
	}
}

// TestTheSecondTurnOfANewHandlerWritesNoStatus holds that pods which were ready before their
// Services existed cost no write of the status by themselves, and no question about the handler.
func TestTheSecondTurnOfANewHandlerWritesNoStatus(t *testing.T) {
	w := newWorld(t, routed().Strategy(v1.StrategyCanary).Step(100, "").Obj())
	_, err := w.reconcile()
	w.must(err)
	var d appsv1.Deployment
	w.must(w.get(&d, "handler-users--v1"))
	d.Status = appsv1.DeploymentStatus{ObservedGeneration: d.Generation, Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1, AvailableReplicas: 1}
	w.must(w.live.Status().Update(t.Context(), &d))
	w.clock.Step(10 * patience)
	before := w.handler().ResourceVersion
	_, err = w.reconcile()
	w.must(err)
	if !slices.Contains(w.writes, "create Service handler-users") || w.handler().ResourceVersion != before {
		t.Errorf("the second turn writes %q, and the status %+v", w.writes, w.handler().Status)
	}
}

// TestTheFirstTurnRemovesNothing holds that a Service which is there already stays, where the
// status and the Deployment of a handler were lost together.
func TestTheFirstTurnRemovesNothing(t *testing.T) {
	w := newWorld(t, routed().Obj())
	w.settle()
	h := w.handler()
	h.Status = v1.GatiHandlerStatus{}
	w.must(w.live.Status().Update(t.Context(), h))
	for _, child := range []client.Object{&appsv1.Deployment{}, &gatewayv1.HTTPRoute{}} {
		w.must(w.get(child, "handler-users"))
		w.must(w.live.Delete(t.Context(), child))
	}
	w.clock.Step(2 * maxBehind)
	_, err := w.reconcile()
	w.must(err)
	if !slices.Contains(w.writes, "create Deployment handler-users") || slices.ContainsFunc(w.writes, func(write string) bool { return strings.HasPrefix(write, "delete ") }) {
		t.Errorf("the first turn writes %q", w.writes)
	}
}

// TestAFailureOfTheFirstTurnIsReported holds that a Deployment which is refused is named in
// the status in the same turn.
func TestAFailureOfTheFirstTurnIsReported(t *testing.T) {
	w := newWorld(t, routed().Obj())
	w.fail = failing("Deployment", errNoAnswer)
	_, err := w.reconcile()
	w.must(err)
	if !slices.ContainsFunc(w.handler().Status.Children, func(c v1.ChildStatus) bool { return c.Kind == deploymentKind && c.Message != "" }) {
		t.Errorf("children %+v", w.handler().Status.Children)
	}
	if !slices.Contains(w.writes, "create Service handler-users") {
		t.Errorf("what does not fail is not written: %q", w.writes)
	}
	w.fail = func(string, client.Object) error { return nil }
}

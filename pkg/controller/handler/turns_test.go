package handler

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/controller/turn"
	"gati.dev/gati/pkg/rollout"
)

// fleetWorld is a handler at rest whose image is that of its namespace, and another one with a
// rollout under way that takes the one place.
func fleetWorld(t *testing.T) (*world, *v1.GatiHandler) {
	t.Helper()
	w := newWorld(t, builders.MakeHandler("users").Namespace("shop").Path("/users").Strategy(v1.StrategyRollingUpdate).Default().Obj())
	w.r.Turns = turn.New(turn.Limits{Namespace: 1})
	w.setNamespaceImage("app:v1")
	w.settle()
	w.setReady("handler-users")
	w.addEndpoints("handler-users", 1)
	w.clock.Step(patience)
	w.settle()
	if ro := w.handler().Status.Rollout; ro.Phase != v1.RolloutStable {
		t.Fatalf("phase %s: %+v", ro.Phase, ro.WaitingFor)
	}
	other := &v1.GatiHandler{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders", UID: "orders"}}
	other.Status.Rollout = &v1.RolloutStatus{Phase: v1.RolloutProgressing}
	w.r.Turns.Observe(other)
	return w, other
}

func (w *world) setNamespaceImage(image string) {
	w.t.Helper()
	var ns corev1.Namespace
	w.must(w.live.Get(w.t.Context(), client.ObjectKey{Name: w.handler().Namespace}, &ns))
	metav1.SetMetaDataAnnotation(&ns.ObjectMeta, v1.AnnotationImage, image)
	w.must(w.live.Update(w.t.Context(), &ns))
}

func (w *world) reconcileOnce() {
	w.t.Helper()
	_, err := w.reconcile()
	w.must(err)
}

// TestTheNamespacesImageWaitsForATurn holds that a handler waits while others take every
// place, that its status says so, and that it begins when one ends.
func TestTheNamespacesImageWaitsForATurn(t *testing.T) {
	w, other := fleetWorld(t)
	w.setNamespaceImage("app:v2")
	w.settle()
	h := w.handler()
	if ro := h.Status.Rollout; !isInLine(ro) || ro.QueuedAt == nil || ro.Phase != v1.RolloutStable {
		t.Fatalf("phase %s, waits for %+v since %s", ro.Phase, ro.WaitingFor, ro.QueuedAt)
	}
	w.checkCondition(v1.ConditionReconciling, metav1.ConditionTrue, string(v1.ReasonProgressing), "v2 waits for one of 1 rollout in namespace shop; 0 are before it.")
	w.checkCondition(v1.ConditionAvailable, metav1.ConditionTrue, string(v1.ReasonAvailable), "")
	w.clock.Step(patience)
	if result, err := w.reconcile(); err != nil || len(w.writes) > 0 || result.RequeueAfter != 10*time.Second {
		t.Errorf("at rest: %v, %q, again in %s", err, w.writes, result.RequeueAfter)
	}
	w.r.Turns.Observe(h)
	other.Status.Rollout.Phase = v1.RolloutStable
	if called := w.r.Turns.Observe(other.DeepCopy()); len(called) != 1 || called[0].Name != "users" {
		t.Errorf("the end of the other one calls %v", called)
	}
	w.reconcileOnce()
	if ro := w.handler().Status.Rollout; !rollout.HoldsPlace(ro) || ro.QueuedAt != nil {
		t.Errorf("phase %s, waits for %+v since %s", ro.Phase, ro.WaitingFor, ro.QueuedAt)
	}
	if w.r.Turns.Take(other, w.clock.Now()) == nil {
		t.Error("the place is free although a rollout has begun")
	}
}

// TestAUserDoesNotWaitForATurn holds that who changes the spec does not wait, and that the
// rollout takes a place all the same.
func TestAUserDoesNotWaitForATurn(t *testing.T) {
	w, other := fleetWorld(t)
	w.change(func(s *v1.GatiHandlerSpec) { s.Image = "app:v3" })
	w.reconcileOnce()
	if ro := w.handler().Status.Rollout; !rollout.HoldsPlace(ro) {
		t.Errorf("phase %s, waits for %+v", ro.Phase, ro.WaitingFor)
	}
	other.Status.Rollout.Phase = v1.RolloutStable
	w.r.Turns.Observe(other.DeepCopy())
	if w.r.Turns.Take(other, w.clock.Now()) == nil {
		t.Error("a rollout that did not wait takes no place")
	}
}

// TestWhoFailsStandsInNobodysWay holds that the first in line keeps no place from others
// while it cannot be reconciled.
func TestWhoFailsStandsInNobodysWay(t *testing.T) {
	w, other := fleetWorld(t)
	w.setNamespaceImage("app:v2")
	w.settle()
	w.r.Turns.Observe(w.handler())
	other.Status.Rollout.Phase = v1.RolloutStable
	w.r.Turns.Observe(other.DeepCopy())
	w.clock.Step(time.Minute)
	if w.r.Turns.Look(other, w.clock.Now()).Full() == nil {
		t.Fatal("the free place is not that of the first in line")
	}
	w.r.Facts.Served = func(schema.GroupVersionKind) (bool, error) { return false, errNoAnswer }
	if _, err := w.reconcile(); err == nil {
		t.Fatal("it did not fail")
	}
	if full := w.r.Turns.Look(other, w.clock.Now()).Full(); full != nil {
		t.Errorf("the place is not free: %+v", full)
	}
}

package handler

import (
	"strconv"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	v1 "gati.dev/gati/api/v1"
)

// A decision and what there is to say of it are one write of the status. Numbers of pods
// wait for the next change, and are written when they have waited long enough.
func TestProgressWaitsForOtherWrites(t *testing.T) {
	w := newWorld(t, routed().Replicas(3).Obj())
	written := func() int {
		n, err := strconv.Atoi(w.handler().ResourceVersion)
		w.must(err)
		return n
	}
	became := func(ready int32) {
		var d appsv1.Deployment
		w.must(w.get(&d, "handler-users"))
		d.Status = appsv1.DeploymentStatus{ObservedGeneration: d.Generation, Replicas: 3, UpdatedReplicas: 3, ReadyReplicas: ready, AvailableReplicas: ready}
		w.must(w.live.Status().Update(t.Context(), &d))
	}
	reconcile := func(what string, want int) {
		t.Helper()
		before := written()
		result, err := w.reconcile()
		w.must(err)
		if got := written() - before; got != want {
			t.Errorf("%s takes %d writes of the status, want %d", what, got, want)
		}
		if want == 0 && (result.RequeueAfter == 0 || result.RequeueAfter > patience) {
			t.Errorf("%s is looked at again after %s", what, result.RequeueAfter)
		}
	}
	reconcile("a new handler", 1)
	w.settle()
	became(1)
	w.settle()
	became(2)
	reconcile("a second ready pod", 0)
	w.clock.Step(patience)
	reconcile("its time", 1)
	if got := w.handler().Status.Ready; got != "2/3" {
		t.Errorf("ready %s", got)
	}
	w.change(func(s *v1.GatiHandlerSpec) { s.Version, s.Image = "v2", "app:v2" })
	reconcile("another version", 1)
	if h := w.handler(); h.Status.Version != "v2" || h.Status.Health != v1.Progressing || h.Status.Plan == nil {
		t.Errorf("%+v", h.Status)
	}
}

// TestDecisionsKeepNoSentenceBack holds that what may wait is written when its time is over,
// however often decisions are written meanwhile, as while a version drains that is called.
func TestDecisionsKeepNoSentenceBack(t *testing.T) {
	w := newWorld(t, routed().Obj())
	h := w.handler()
	for second := range 4 {
		w.r.memory.noteStatus(h, w.clock.Now()) // A decision.
		if got, want := w.r.patienceLeft(h), max(0, patience-time.Duration(second)*time.Second); got != want {
			t.Errorf("after %d s it waits %s more, want %s", second, got, want)
		}
		w.clock.Step(time.Second)
	}
	w.r.memory.noteWhole(h)
	w.r.memory.noteStatus(h, w.clock.Now())
	if got := w.r.patienceLeft(h); got != patience {
		t.Errorf("the next change waits %s, want %s", got, patience)
	}
}

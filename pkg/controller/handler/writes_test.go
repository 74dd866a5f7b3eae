package handler

import (
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// A decision and what there is to say of it are one write of the status. Numbers of pods
// wait for the next change, and are written when they have waited long enough.
func TestProgressWaitsForOtherWrites(t *testing.T) {
	w := newWorld(t, routed().Replicas(3).Obj())
	became := func(ready int32) {
		w.setReplicas("handler-users", 3, ready)
		w.addEndpoints("handler-users", int(ready))
	}
	reconcile := func(what string, want int) {
		t.Helper()
		before := w.written()
		result, err := w.reconcile()
		w.must(err)
		if got := w.written() - before; got != want {
			t.Errorf("%s takes %d writes of the status, want %d", what, got, want)
		}
		if want == 0 && (result.RequeueAfter == 0 || result.RequeueAfter > patience) {
			t.Errorf("%s is looked at again after %s", what, result.RequeueAfter)
		}
	}
	reconcile("a new handler's Deployment", 1)
	w.settle()
	w.acceptRoute()
	w.clock.Step(patience)
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
	became(3)
	reconcile("the last pod", 1)
	if h := w.handler(); h.Status.Health != v1.Healthy || h.Status.Rollout.Phase != v1.RolloutStable {
		t.Errorf("%+v", h.Status)
	}
	w.change(func(s *v1.GatiHandlerSpec) { s.Version, s.Image = "v2", "app:v2" })
	reconcile("another version", 1)
	if h := w.handler(); h.Status.Version != "v2" || h.Status.Health != v1.Progressing || h.Status.Plan == nil {
		t.Errorf("%+v", h.Status)
	}
}

// TestADecisionIsPersistedBeforeItsFirstAct holds that no child, revision or record is written
// while the stored status does not have the decision that leads to it.
func TestADecisionIsPersistedBeforeItsFirstAct(t *testing.T) {
	w := newWorld(t, routed().Obj())
	declared, acts := "v1", 0
	w.fail = func(verb string, obj client.Object) error {
		acts++
		kind := obj.GetObjectKind().GroupVersionKind().Kind
		if h := w.handler(); h.Status.Rollout == nil || len(h.Status.Versions) == 0 || h.Status.Versions[len(h.Status.Versions)-1].Version != declared {
			t.Errorf("%s %s %s is written with the status %+v", verb, kind, obj.GetName(), h.Status.Versions)
		}
		return nil
	}
	w.settle()
	declared = "v2"
	w.change(func(s *v1.GatiHandlerSpec) { s.Version, s.Image = "v2", "app:v2" })
	w.settle()
	if acts < 10 {
		t.Errorf("%d writes were seen", acts)
	}
}

// TestADecisionThatIsNotPersistedIsNotActedOn holds that nothing is written where the
// decision is refused, as when it rests on an outdated status.
func TestADecisionThatIsNotPersistedIsNotActedOn(t *testing.T) {
	w := newWorld(t, routed().Obj())
	w.settle()
	w.change(func(s *v1.GatiHandlerSpec) { s.Version, s.Image = "v2", "app:v2" })
	w.cached = w.handler()
	h := w.handler()
	h.Annotations = map[string]string{"by": "another leader"}
	w.must(w.live.Update(t.Context(), h))
	result, err := w.reconcile()
	if err != nil || result.RequeueAfter == 0 || len(w.writes) > 0 {
		t.Errorf("result %+v, error %v, writes %q: want another try", result, err, w.writes)
	}
}

// TestAnOlderStatusThanOursIsNotLookedAt holds that a cache which lags behind our own write
// costs no request, and that one which never catches up is believed after a while.
func TestAnOlderStatusThanOursIsNotLookedAt(t *testing.T) {
	w := newWorld(t, routed().Obj())
	before := w.handler()
	for range 2 { // The second turn writes the status.
		_, err := w.reconcile()
		w.must(err)
	}
	after := w.handler()
	w.cached = before
	for range 3 {
		result, err := w.reconcile()
		if err != nil || result.RequeueAfter != maxBehind || len(w.writes) > 0 || w.handler().ResourceVersion != after.ResourceVersion {
			t.Errorf("result %+v, error %v, writes %q", result, err, w.writes)
		}
	}
	w.clock.Step(maxBehind + time.Second)
	if result, err := w.reconcile(); err != nil || result.RequeueAfter == maxBehind {
		t.Errorf("after %s: result %+v, error %v, want another try", maxBehind, result, err)
	}
	w.cached = nil
	w.settle()
}

// TestAFailureIsNotHidden holds that the status has no plan as applied that was
// not, and that a record is named only where there is one.
func TestAFailureIsNotHidden(t *testing.T) {
	for _, kind := range []string{"ControllerRevision", "GatiVersion"} {
		w := newWorld(t, routed().Obj())
		w.fail = failing(kind, errNoAnswer)
		var err error
		for turn := 0; turn < 4 && err == nil; turn++ { // The record comes last.
			_, err = w.reconcile()
		}
		st := w.handler().Status
		if err == nil || kind == "ControllerRevision" && st.Plan != nil || kind == "GatiVersion" && st.Versions[0].Record != "" {
			t.Errorf("without a %s: error %v, plan %+v, versions %+v", kind, err, st.Plan, st.Versions)
		}
		w.fail = func(string, client.Object) error { return nil }
		for range 2 {
			w.clock.Step(31 * time.Second)
			w.settle()
		}
		if st := w.handler().Status; st.Plan == nil || st.Plan.Applied == "" || st.Versions[0].Record == "" {
			t.Errorf("after a %s: plan %+v, versions %+v", kind, st.Plan, st.Versions)
		}
	}
}

// TestAFailureIsToldOnce holds that a write which fails each time does not have the status say in
// turns that it will succeed and that it has not.
func TestAFailureIsToldOnce(t *testing.T) {
	for _, kind := range []string{"ControllerRevision", "Deployment", "Service", "GatiVersion"} {
		w := newWorld(t, routed().Obj())
		w.fail = failing(kind, errNoAnswer)
		for range 6 {
			_, _ = w.reconcile()
			w.clock.Step(patience)
		}
		before := w.written()
		for range 6 {
			w.clock.Step(31 * time.Second)
			_, _ = w.reconcile()
		}
		if got := w.written() - before; got > 0 {
			t.Errorf("a %s that cannot be written costs %d more writes of the status", kind, got)
		}
	}
}

package rollout_test

import (
	"strings"
	"testing"

	v1 "gati.dev/gati/api/v1"
)

// TestAWipedStatusResumesFromTheRoute takes the status away in the middle of a
// canary: the weights of the route are those of the rollout, which goes on from
// their step, and at no time does the route say anything else.
func TestAWipedStatusResumesFromTheRoute(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.applyHandler(w.makeLongCanary("v1").Obj())
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	w.applyHandler(w.makeLongCanary("v2").Obj())
	w.awaitPhase("users", "v1 90 v2 10", v1.RolloutProgressing)
	w.wipeStatus("users")
	w.awaitPhase("users", "v1 90 v2 10", v1.RolloutProgressing)

	w.requestAsAdmin("users", "promote")
	w.awaitPhase("users", "v1 50 v2 50", v1.RolloutProgressing)
	film := w.recordHandler("users")
	w.wipeStatus("users")
	h := w.awaitPhase("users", "v1 50 v2 50", v1.RolloutProgressing)
	if !hasHistoryEntry(h, "Resumed") {
		t.Errorf("it does not say that it was resumed:\n%s", describeHandler(h))
	}
	for _, now := range distinctStates(film.awaitStatesUntil(h), decidedWeights) {
		if now != "v1 50 v2 50" && now != "" {
			t.Errorf("on the way it decided %q", now)
		}
	}
	w.awaitRouteWeights("users", "handler-users--v1 50 handler-users--v2 50")
	w.requestAsAdmin("users", "promote")
	w.awaitPhase("users", "v1 0 v2 100", v1.RolloutStable)
}

// wipeStatus is kubectl replace --subresource=status with nothing in it.
func (w *world) wipeStatus(name string) {
	w.t.Helper()
	text := "apiVersion: gati.dev/v1\nkind: GatiHandler\nmetadata: {name: " + name + ", namespace: " + w.ns + "}\nspec: {path: /}\nstatus: {}\n"
	out, err := cluster.Run(w.t.Context(), text, "replace", "--subresource=status", "-f", "-")
	if err != nil || !strings.Contains(out, "replaced") {
		w.t.Fatal(out, err)
	}
}

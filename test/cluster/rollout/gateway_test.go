package rollout_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/remedies"
	"gati.dev/gati/pkg/remedy"
	"gati.dev/gati/test/support/gateway"
	"gati.dev/gati/test/support/kube"
)

// TestGatewayDecidesWhenAStepCounts holds that no step is taken ahead of the
// gateway: not while it gives no answer, not while it refuses, which stops the
// rollout with its reason, and not before a late answer.
func TestGatewayDecidesWhenAStepCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	quick := func(version string) *v1.GatiHandler {
		return w.makeCanary(version).Spec(func(s *v1.GatiHandlerSpec) { s.Rollout.ProgressDeadline = "45s" }).Obj()
	}
	w.applyHandler(quick("v1"))
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	film := w.recordHandler("users")

	gateways.Set(w.gateway, gateway.Behavior{Absent: true})
	w.applyHandler(quick("v2"))
	w.awaitDecidedWeights("users", "v1 90 v2 10")
	time.Sleep(4 * 2 * time.Second) // four pauses
	w.changeHandler("users", func(h *v1.GatiHandler) { h.Labels = map[string]string{"looked": "at"} })
	h := w.awaitStory("users", "v2 is set to 10 %", "has observed generation")
	for _, h := range film.awaitStatesUntil(h) {
		if v := kube.VersionStatus(h, "v2"); v != nil && (v.Weight > 10 || v.AcceptedWeight != nil && *v.AcceptedWeight > 0) {
			t.Fatalf("v2 has %d %% without an answer:\n%s", v.Weight, describeHandler(h))
		}
	}

	gateways.Set(w.gateway, gateway.Behavior{Refusal: "the listener has no room"})
	h = w.awaitStory("users", "Stalled=True", "the listener has no room")
	if v := kube.VersionStatus(h, "v2"); v == nil || v.Weight != 10 {
		t.Errorf("a step was taken against the gateway:\n%s", describeHandler(h))
	}
	if shown := w.executeExplained(remedy.ShowRoute); !strings.Contains(shown, "the listener has no room") {
		t.Errorf("the route does not say what the gateway refuses:\n%s", shown)
	}

	gateways.Set(w.gateway, gateway.Behavior{After: time.Second})
	h = w.awaitPhase("users", "v2 100", v1.RolloutStable)
	frames := film.awaitStatesUntil(h)
	assertPassed(t, frames, acceptedWeights, "v1 90 v2 10", "v1 50 v2 50", "v1 0 v2 100")
	assertAwaitsAcceptance(t, frames, "v2")
}

// executeExplained types the command that explain names for one of its links, and returns what
// it shows.
func (w *world) executeExplained(r remedy.Remedy) string {
	w.t.Helper()
	said := ""
	w.eventually("the remedy "+string(r), func() error { // explain fails for what is not healthy
		said, _ = env.Shell(w.t.Context(), `kubectl gati explain users -o jsonpath='{range .links[*]}{.next}{"\n"}{end}' -n `+w.ns)
		if remedies.Find(r, said) == "" {
			return errors.New(said)
		}
		return nil
	})
	return remedies.Execute(w.t, env.Shell, r, said)
}

// assertAwaitsAcceptance holds that each raise of a version's weight came after the acceptance of
// the one before, and was itself seen before it was accepted.
func assertAwaitsAcceptance(t *testing.T, frames []*v1.GatiHandler, version string) {
	t.Helper()
	var weight, raises int32
	accepted := true
	for _, h := range frames {
		v := kube.VersionStatus(h, version)
		if v == nil {
			continue
		}
		now := v.AcceptedWeight != nil && *v.AcceptedWeight == v.Weight
		if v.Weight > weight {
			if weight > 0 && !accepted || now {
				t.Errorf("%s was raised from %d %% (accepted: %t) to %d %% (accepted: %t):\n%s", version, weight, accepted, v.Weight, now, describeHandler(h))
			}
			raises++
		}
		weight, accepted = v.Weight, now
	}
	if raises == 0 {
		t.Errorf("the weight of %s was never raised", version)
	}
}

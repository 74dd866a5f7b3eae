package rollout_test

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/gateway"
)

// TestAHandlerAtRestFollowsItsRoute holds that a handler without a rollout is not Ready while a
// gateway refuses its route or no controller claims it, is Stalled with the reason after its
// deadline, keeps its weights, and is Ready again by itself.
func TestAHandlerAtRestFollowsItsRoute(t *testing.T) {
	for _, strategy := range []v1.Strategy{v1.StrategyCanary, v1.StrategyManual, v1.StrategyRollingUpdate} {
		t.Run(string(strategy), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.applyHandler(w.makeCanary("v1").Strategy(strategy).Obj())
			w.awaitStory("users", "Ready=True")
			w.changeHandler("users", func(h *v1.GatiHandler) { h.Spec.Rollout.ProgressDeadline = "5s" })

			gateways.Set(w.gateway, gateway.Behavior{Refusal: "the listener has no room"})
			h := w.awaitStory("users", "Ready=False", "Stalled=True", "the listener has no room", "change spec.route")
			if h.Status.Health != v1.Degraded && strategy != v1.StrategyManual || decidedWeights(h) != "v1 100" {
				t.Errorf("%s at %s:\n%s", h.Status.Health, decidedWeights(h), describeHandler(h))
			}
			gateways.Set(w.gateway, gateway.Behavior{})
			w.awaitStory("users", "Ready=True")

			w.changeHandler("users", func(h *v1.GatiHandler) { h.Spec.Route.ParentRefs[0].Name = "nobody" })
			w.awaitStory("users", "Ready=False", "Stalled=True", "no controller has claimed the route for nobody")
			w.changeHandler("users", func(h *v1.GatiHandler) { h.Spec.Route.ParentRefs[0].Name = gatewayv1.ObjectName(w.gateway) })
			w.awaitStory("users", "Ready=True")
		})
	}
}

// TestAHandlerAtRestFollowsItsEndpoints holds that a handler whose endpoints have all gone is
// not said to serve, is Stalled after its deadline and loses no version for it.
func TestAHandlerAtRestFollowsItsEndpoints(t *testing.T) {
	for _, strategy := range []v1.Strategy{v1.StrategyCanary, v1.StrategyManual, v1.StrategyRollingUpdate} {
		t.Run(string(strategy), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.applyHandler(w.makeCanary("v1").Strategy(strategy).Spec(func(s *v1.GatiHandlerSpec) { s.Rollout.ProgressDeadline = "20s" }).Obj())
			w.awaitStory("users", "Ready=True")
			w.setPodsReady("v1", corev1.ConditionFalse)
			h := w.awaitStory("users", "Ready=False", "Stalled=True", "has all traffic and 0 of 4 pods ready")
			if h.Status.Ready != "0/4" || len(h.Status.Rollout.Rejected) > 0 {
				t.Errorf("ready %s, rejected %v:\n%s", h.Status.Ready, h.Status.Rollout.Rejected, describeHandler(h))
			}
			w.setPodsReady("v1", corev1.ConditionTrue)
			w.awaitStory("users", "Ready=True")
		})
	}
}

// setPodsReady makes the pods of a version ready or not. Their endpoints follow.
func (w *world) setPodsReady(version string, status corev1.ConditionStatus) {
	w.t.Helper()
	var pods corev1.PodList
	if err := admin.List(w.t.Context(), &pods, client.InNamespace(w.ns), client.MatchingLabels{v1.LabelVersion: version}); err != nil {
		w.t.Fatal(err)
	}
	if len(pods.Items) == 0 {
		w.t.Fatal(errors.New(version + " has no pods"))
	}
	for i := range pods.Items {
		p := &pods.Items[i]
		before := p.DeepCopy()
		for j := range p.Status.Conditions {
			if c := &p.Status.Conditions[j]; c.Type == corev1.PodReady || c.Type == corev1.ContainersReady {
				c.Status = status
			}
		}
		if err := admin.Status().Patch(w.t.Context(), p, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
			w.t.Fatal(err)
		}
	}
}

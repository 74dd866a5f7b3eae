package e2e

import (
	"testing"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/load"
)

// Each version has an autoscaler of its own, which follows its own load.
func TestVersionsScaleIndependently(t *testing.T) {
	given, when, then := scenario(t)

	given.aHandler(setReplicas(1), useManual, autoscaleBetween(1, 3))
	when.applyChanges(setImage("v1.1.0"))
	then.eachPinReaches("v1.0.0", "v1.1.0")
	then.eachHasItsAutoscaler("v1.0.0", "v1.1.0")
	young := given.requestsFor("v1.1.0", "/users/%d?cpu=20ms", 15)
	then.hasPods("v1.1.0", 2, 3)
	then.hasPods("v1.0.0", 1, 1)
	then.eachCameFrom("v1.1.0", young)
	old := given.requestsFor("v1.0.0", "/users/%d?cpu=20ms", 15)
	then.hasPods("v1.0.0", 2, 3)
	then.hasPods("v1.1.0", 1, 1)
	then.eachCameFrom("v1.0.0", old)
}

// useManual leaves the weights to the records: the first version has all.
func useManual(s *v1.GatiHandlerSpec) { s.Rollout = &v1.Rollout{Strategy: v1.StrategyManual} }

// requestsFor are those of a client that asks for a version by its header.
func (g given) requestsFor(version, path string, rate int) *traffic {
	g.t.Helper()
	to := g.loadTargets(path)[theGateway]
	to.Header = map[string]string{"X-Gati-Version": version}
	tr := startTraffic(g.t, load.Config{Targets: []load.Target{to}, Rate: rate, Count: most, Timeout: 10 * time.Second, Seed: seedOf(g.t)})
	g.logStep("given a client that asks for %s: %d requests a second to %s", version, rate, path)
	return tr
}

// eachCameFrom ends requests for a version, and wants it to have answered all.
func (n then) eachCameFrom(version string, tr *traffic) {
	n.t.Helper()
	r := tr.stopOnce()
	n.logStep("then of %v", r)
	if r.Failed() != 0 || r.By(version) != r.Offered || r.Offered == 0 {
		n.t.Errorf("of %d requests for %s it has answered %d, and %d failed", r.Offered, version, r.By(version), r.Failed())
	}
}

// eachHasItsAutoscaler waits for one autoscaler a version, on that version's own
// Deployment.
func (n then) eachHasItsAutoscaler(versions ...string) {
	n.t.Helper()
	n.eventually("autoscaler of each version", func() error {
		for _, version := range versions {
			d, err := n.deploymentOf(version)
			if err != nil {
				return err
			}
			var h autoscalingv2.HorizontalPodAutoscaler
			if err := admin.Get(n.t.Context(), client.ObjectKeyFromObject(d), &h); err != nil {
				return err
			}
			if err := checkContains(h.Spec.ScaleTargetRef.Name, d.Name); err != nil {
				return err
			}
		}
		return nil
	})
	n.logStep("then each of %v has an autoscaler of its own", versions)
}

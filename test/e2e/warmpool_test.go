package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/statusrecorder"
)

// poolRounds is how many promotions each median is of.
const poolRounds = 3

// TestAWarmPoolSavesTheStartOfPods measures the time from a promotion to the weight that
// the gateway has accepted, without and with spare pods. The images are on the node.
func TestAWarmPoolSavesTheStartOfPods(t *testing.T) {
	given, when, then := scenario(t)

	given.aHandler(setReplicas(6), useCanary)
	given.steadyTraffic(20)
	without := when.promotionsTake(0)
	with := when.promotionsTake(2)
	then.noRequestHasFailed(500)
	t.Logf("from promote to a weight of 50 %%, of 6 pods: %.1fs without a warm pool, %.1fs with 2 spare pods (medians of %d)",
		without.Seconds(), with.Seconds(), poolRounds)
	if with >= without {
		t.Errorf("with spare pods a promotion takes %s, without %s", with, without)
	}
}

// promotionsTake rolls out one version after another, and returns the median of how long
// their promotions from 10 to 50 % take.
func (w when) promotionsTake(spare int32) time.Duration {
	w.t.Helper()
	var all []time.Duration
	for round := range poolRounds {
		version := fmt.Sprintf("v1.%d.%d", spare, round+1)
		w.applyChanges(func(s *v1.GatiHandlerSpec) {
			s.Version, s.Autoscaling = v1.VersionID(version), &v1.Autoscaling{WarmPool: &spare}
		})
		then(w).theWeightIs(version, 10)
		// 10 % of 6 pods is one.
		then(w).hasPods(version, 1+spare, 1+spare)
		film := given(w).isFilmed()
		w.requestWithPlugin("promote")
		then(w).theWeightIs(version, 50)
		all = append(all, timeOfPromotion(film, version))
		w.requestWithPlugin("promote")
		then(w).theWeightIs(version, 100)
		then(w).awaitReady()
	}
	slices.Sort(all)
	w.logStep("promotions with %d spare pods took %v", spare, all)
	return all[len(all)/2]
}

// timeOfPromotion returns how long it took from the request to the accepted weight.
func timeOfPromotion(film *film[*v1.GatiHandler], version string) time.Duration {
	film.w.t.Helper()
	// The request before is still there as the film begins.
	before := film.Frames()[0].Object.Annotations[v1.AnnotationRequest]
	asked := film.awaitFirst("request to promote", func(f statusrecorder.Frame[*v1.GatiHandler]) bool {
		request := f.Object.Annotations[v1.AnnotationRequest]
		return request != before && strings.HasPrefix(request, "promote")
	})
	accepted := film.awaitFirst("weight of 50", func(f statusrecorder.Frame[*v1.GatiHandler]) bool { return hasAccepted(f.Object, version, 50) })
	return accepted.At.Sub(asked.At)
}

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/test/support/statusrecorder"
)

// aPodStopsItsMetrics asks one of so many ready pods of a version to show no metrics.
func (n when) aPodStopsItsMetrics(version string, of int) {
	n.t.Helper()
	n.eventually(fmt.Sprintf("%d ready pods of %s", of, version), func() error {
		pods, err := n.handlerPods()
		if err != nil {
			return err
		}
		var addresses []string
		for _, p := range pods {
			if p.Labels[v1.LabelVersion] == naming.Slug(version, 1) && isReady(&p) {
				addresses = append(addresses, p.Status.PodIP)
			}
		}
		if len(addresses) < of {
			return fmt.Errorf("%d pods", len(addresses))
		}
		_, err = sendGet(n.t.Context(), fmt.Sprintf("http://%s:3000/users/1?metrics=never", addresses[0]), "", "")
		return err
	})
	n.logStep("when one of %d pods of %s shows no metrics any more", of, version)
}

// TestACanaryWithoutAnAnalysis holds what a handler gets whose spec has no analysis, and whose
// pods have metrics: a version that fails, or that hangs, goes back, and a good one is promoted.
func TestACanaryWithoutAnAnalysis(t *testing.T) {
	for name, bad := range map[string]change{
		"errors":              addEnv("SAMPLE_FAILURE_RATE", "1"),
		"errors now and then": addEnv("SAMPLE_FAILURE_RATE", "0.3"),
		"requests that hang":  addEnv("SAMPLE_LATENCY", "10m"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given, when, then := scenario(t)

			given.aHandler(setReplicas(2), useCanary, setSteps(makeStep(10, "5m"), makeStep(50, "5m")))
			given.steadyTraffic(20)
			began := time.Now()
			when.applyChanges(setImage("v1.1.0"), bad)
			then.isRolledBack("v1.1.0", "its success rate is")
			then.logStep("then it was gone %s after the apply, its pods included", time.Since(began).Round(time.Second))
			when.secondsPass(10)
			r := then.traffic.stopOnce()
			then.logStep("then of %v", r)
			if r.Failed() == 0 || r.Failed() > r.Offered/4 {
				t.Errorf("%d of %d requests have failed, want some of those to v1.1.0", r.Failed(), r.Offered)
			}
			then.itsPodsServe()
		})
	}

	t.Run("errors, and one silent pod of four", func(t *testing.T) {
		t.Parallel()
		given, when, then := scenario(t)

		given.aHandler(setReplicas(8), useCanary, setSteps(makeStep(50, "5m")))
		film := given.isFilmed()
		given.steadyTraffic(20)
		when.applyChanges(setImage("v1.1.0"), addEnv("SAMPLE_FAILURE_RATE", "1"))
		when.aPodStopsItsMetrics("v1.1.0", 4)
		then.isRolledBack("v1.1.0", "its success rate is")
		film.awaitFirst("reading of three pods of four", func(f statusrecorder.Frame[*v1.GatiHandler]) bool {
			ro := f.Object.Status.Rollout
			return ro != nil && len(ro.Analysis) > 0 && strings.Contains(ro.Analysis[0].Message, "3 of 4 pods could be read")
		})
		when.secondsPass(10)
		then.logStep("then of %v", then.traffic.stopOnce())
		then.itsPodsServe()
	})

	t.Run("a healthy version", func(t *testing.T) {
		t.Parallel()
		given, when, then := scenario(t)

		given.aHandler(setReplicas(2), useCanary, setSteps(makeStep(10, "20s"), makeStep(50, "20s")))
		given.steadyTraffic(20)
		when.applyChanges(setImage("v1.1.0"))
		then.isStable("v1.1.0")
		then.nothingWasRolledBack()
		then.noRequestHasFailed(200)
		then.answersCameFrom("v1.0.0", "v1.1.0")
	})
}

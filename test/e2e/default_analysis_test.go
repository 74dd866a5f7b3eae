package e2e

import (
	"testing"
	"time"
)

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

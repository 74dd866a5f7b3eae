package e2e

import "testing"

// TestAnalysisByTheGatewaysMetrics holds a canary to what the gateway has counted: no
// pod is scraped.
func TestAnalysisByTheGatewaysMetrics(t *testing.T) {
	prometheusMeasures(t, byTraefik)

	t.Run("errors", func(t *testing.T) {
		given, when, then := scenario(t)

		given.aHandler(setReplicas(2), useCanary, setSteps(makeStep(50, "")), judgedBy(successRate))
		given.steadyTraffic(100)
		film := given.isFilmed()
		when.applyChanges(setImage("v1.1.0"), addEnv("SAMPLE_FAILURE_RATE", "0.05"))
		then.isRolledBack("v1.1.0", "its success rate is 9", "at least 99 %", "requests bad")
		then.onlyItsOwnAnswersHaveFailed("v1.1.0", film)
	})

	t.Run("latency", func(t *testing.T) {
		given, when, then := scenario(t)

		given.aHandler(setReplicas(2), useCanary, setSteps(makeStep(50, "")), judgedBy(latency))
		given.steadyTraffic(100)
		// Traefik's histogram has a bound of 1.2 s above 500 ms.
		when.applyChanges(setImage("v1.1.0"), addEnv("SAMPLE_LATENCY", "1500ms"))
		then.isRolledBack("v1.1.0", "its p99 latency is", "at most 1 % over", "requests bad")
		then.noRequestHasFailed(1000)
	})

	t.Run("it is well", func(t *testing.T) {
		given, when, then := scenario(t)

		given.aHandler(setReplicas(2), useCanary, setSteps(makeStep(50, "10s")), judgedBy(successRate))
		given.steadyTraffic(100)
		when.applyChanges(setImage("v1.1.0"))
		then.isStable("v1.1.0")
		then.nothingWasRolledBack()
		then.noRequestHasFailed(1000)
	})
}

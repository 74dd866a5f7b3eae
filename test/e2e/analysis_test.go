package e2e

import (
	"testing"

	v1 "gati.dev/gati/api/v1"
)

func TestAnalysisOfACanary(t *testing.T) {
	prometheusMeasures(t)

	// The others need it, so they come after it, side by side.
	t.Run("Prometheus is gone", func(t *testing.T) {
		given, when, then := scenario(t)

		given.aHandler(setReplicas(2), useCanary, setSteps(makeStep(10, ""), makeStep(50, "20s")), scrapePods, judgedBy(successRate))
		given.steadyTraffic(100)
		film := given.isFilmed()
		when.applyChanges(setImage("v1.1.0"))
		then.isMeasured(film, "v1.1.0", 10, 1, v1.AnalysisPass, "")
		when.isGone("prometheus")
		when.requestWithPlugin("promote")
		then.isMeasured(film, "v1.1.0", 50, 1, v1.AnalysisNoData, "connection refused")
		then.itsStatusSays("v1.1.0 has 50 %", "no data on its success rate", "prometheus", "which is no failure")
		then.itsTrafficIsMeasured("False", "success rate of v1.1.0", "Missing data is not zero")
		when.isBack("prometheus")
		then.isStable("v1.1.0")
		then.nothingWasRolledBack()
		then.noRequestHasFailed(2000)
		then.answersCameFrom("v1.0.0", "v1.1.0")
	})

	t.Run("errors", func(t *testing.T) {
		t.Parallel()
		given, when, then := scenario(t)

		given.aHandler(setReplicas(2), useCanary, setSteps(makeStep(50, "")), scrapePods, judgedBy(successRate))
		given.steadyTraffic(100)
		film := given.isFilmed()
		when.applyChanges(setImage("v1.1.0"), addEnv("SAMPLE_FAILURE_RATE", "0.05"))
		then.isRolledBack("v1.1.0", "its success rate is 9", "at least 99 %", "requests bad")
		when.secondsPass(10)
		then.onlyItsOwnAnswersHaveFailed("v1.1.0", film)
		then.itsPodsServe()
	})

	t.Run("latency", func(t *testing.T) {
		t.Parallel()
		given, when, then := scenario(t)

		given.aHandler(setReplicas(2), useCanary, setSteps(makeStep(50, "")), scrapePods, judgedBy(latency))
		given.steadyTraffic(100)
		when.applyChanges(setImage("v1.1.0"), addEnv("SAMPLE_LATENCY", "800ms"))
		then.isRolledBack("v1.1.0", "its p99 latency is", "at most 1 % over 500 ms", "requests bad")
		then.theShareIs("v1.1.0", 0)
		then.itsPodsServe()
		then.noRequestHasFailed(1000)
		then.answersCameFrom("v1.0.0", "v1.1.0")
	})

	// 30 % failures of a version with a tenth of the traffic.
	t.Run("errors at a small weight", func(t *testing.T) {
		t.Parallel()
		given, when, then := scenario(t)

		given.aHandler(setReplicas(2), useCanary, setSteps(makeStep(10, "")), scrapePods, judgedBy(successRate))
		given.steadyTraffic(100)
		film := given.isFilmed()
		when.applyChanges(setImage("v1.1.0"), addEnv("SAMPLE_FAILURE_RATE", "0.3"))
		then.isRolledBack("v1.1.0", "its success rate is", "of the stable version 0 of")
		then.onlyItsOwnAnswersHaveFailed("v1.1.0", film)
	})

	// Half of the allowed failures roll nothing back.
	t.Run("a healthy version", func(t *testing.T) {
		t.Parallel()
		given, when, then := scenario(t)

		given.aHandler(setReplicas(2), useCanary, setSteps(makeStep(50, "")), scrapePods, judgedBy(successRate))
		given.steadyTraffic(100)
		film := given.isFilmed()
		when.applyChanges(setImage("v1.1.0"), addEnv("SAMPLE_FAILURE_RATE", "0.005"))
		then.isMeasured(film, "v1.1.0", 50, 1, v1.AnalysisPass, "")
		when.requestWithPlugin("promote")
		then.isStable("v1.1.0")
		then.nothingWasRolledBack()
	})

	t.Run("too few requests", func(t *testing.T) {
		t.Parallel()
		given, when, then := scenario(t)

		given.aHandler(setReplicas(2), useCanary, setSteps(makeStep(50, "1s")), scrapePods, judgedBy(successRate), setInconclusivePolicy(v1.InconclusiveWait))
		given.steadyTraffic(2)
		film := given.isFilmed()
		when.applyChanges(setImage("v1.1.0"))
		then.isMeasured(film, "v1.1.0", 50, 3, v1.AnalysisInconclusive, "")
		then.itsStatusSays("v1.1.0 has 50 %", "its success rate is healthy so far", "promote it, or send it requests")
		when.requestWithPlugin("promote")
		then.isStable("v1.1.0")
		then.nothingWasRolledBack()
	})

	t.Run("dry run", func(t *testing.T) {
		t.Parallel()
		given, when, then := scenario(t)

		given.aHandler(setReplicas(2), useCanary, setSteps(makeStep(50, "1m")), scrapePods, judgedBy(successRate), dryRun)
		given.steadyTraffic(100)
		film := given.isFilmed()
		when.applyChanges(setImage("v1.1.0"), addEnv("SAMPLE_FAILURE_RATE", "0.5"))
		then.isMeasured(film, "v1.1.0", 50, 1, v1.AnalysisFail, "")
		then.isStable("v1.1.0")
		then.nothingWasRolledBack()
	})

	// No source reads the metrics of its pods.
	t.Run("no data passes", func(t *testing.T) {
		t.Parallel()
		given, when, then := scenario(t)

		given.aHandler(useCanary, setSteps(makeStep(50, "1s")), judgedBy(successRate), noData(v1.NoDataPass))
		given.steadyTraffic(20)
		when.applyChanges(setImage("v1.1.0"))
		then.isStable("v1.1.0")
		then.nothingWasRolledBack()
		then.noRequestHasFailed(200)
	})

	t.Run("no data fails", func(t *testing.T) {
		t.Parallel()
		given, when, then := scenario(t)

		given.aHandler(useCanary, setSteps(makeStep(50, "1s")), judgedBy(successRate), noData(v1.NoDataFail))
		given.steadyTraffic(20)
		when.applyChanges(setImage("v1.1.0"))
		then.isRolledBack("v1.1.0", "no data on its success rate", "check that it is scraped", "counts as failed")
		then.itsPodsServe()
		then.noRequestHasFailed(200)
	})
}

package e2e

import (
	"testing"

	v1 "gati.dev/gati/api/v1"
)

func TestAnalysisOfACanary(t *testing.T) {
	prometheusMeasures(t)

	t.Run("errors", func(t *testing.T) {
		given, when, then := scenario(t)

		given.aHandler(replicas(2), canary, steps(step(50, "")), scraped, judgedBy(successRate, 100))
		given.steadyTraffic(100)
		film := given.isFilmed()
		when.becomes(image("v1.1.0"), env("SAMPLE_FAILURE_RATE", "0.05"))
		then.isRolledBack("v1.1.0", "its success rate is 9", "at least 99 %", "measurements in a row")
		when.secondsPass(10)
		then.onlyItsOwnAnswersHaveFailed("v1.1.0", film)
		then.itsPodsServe()
	})

	t.Run("latency", func(t *testing.T) {
		given, when, then := scenario(t)

		given.aHandler(replicas(2), canary, steps(step(50, "")), scraped, judgedBy(latency, 20))
		given.steadyTraffic(100)
		when.becomes(image("v1.1.0"), env("SAMPLE_LATENCY", "800ms"))
		then.isRolledBack("v1.1.0", "its p99 latency is", "at most 500 ms", "measurements in a row")
		then.theShareIs("v1.1.0", 0)
		then.itsPodsServe()
		then.noRequestHasFailed(1000)
		then.answersCameFrom("v1.0.0", "v1.1.0")
	})

	// Half of its answers are failures, but there are few: only more of them judge.
	t.Run("too few samples", func(t *testing.T) {
		given, when, then := scenario(t)

		given.aHandler(replicas(2), canary, steps(step(50, "1s")), scraped, judgedBy(successRate, 1000))
		given.steadyTraffic(20)
		film := given.isFilmed()
		when.becomes(image("v1.1.0"), env("SAMPLE_FAILURE_RATE", "0.5"))
		then.isMeasured(film, "v1.1.0", 50, 3, v1.AnalysisNoData, "of 1000 samples")
		then.itsStatusSays("v1.1.0 has 50 %", "of 1000 samples", "which is no failure")
		then.nothingWasRolledBack()
		when.becomes(judgedBy(successRate, 20))
		then.isRolledBack("v1.1.0", "its success rate is", "at least 99 %")
		then.onlyItsOwnAnswersHaveFailed("v1.1.0", film)
	})

	t.Run("Prometheus is gone", func(t *testing.T) {
		given, when, then := scenario(t)

		given.aHandler(replicas(2), canary, steps(step(10, ""), step(50, "1s")), scraped, judgedBy(successRate, 20))
		given.steadyTraffic(100)
		film := given.isFilmed()
		when.becomes(image("v1.1.0"))
		then.isMeasured(film, "v1.1.0", 10, 1, v1.AnalysisPass, "")
		when.isGone("prometheus")
		when.asked("promote")
		then.isMeasured(film, "v1.1.0", 50, 3, v1.AnalysisNoData, "connection refused")
		then.itsStatusSays("v1.1.0 has 50 %", "no data on its success rate", "prometheus", "which is no failure")
		then.itsTrafficIsMeasured("False", "success rate of v1.1.0", "Missing data is not zero")
		when.isBack("prometheus")
		then.isStable("v1.1.0")
		then.nothingWasRolledBack()
		then.noRequestHasFailed(2000)
		then.answersCameFrom("v1.0.0", "v1.1.0")
	})

	// No source reads the metrics of its pods.
	t.Run("no data passes", func(t *testing.T) {
		given, when, then := scenario(t)

		given.aHandler(canary, steps(step(50, "1s")), judgedBy(successRate, 20), noData(v1.NoDataPass))
		given.steadyTraffic(20)
		when.becomes(image("v1.1.0"))
		then.isStable("v1.1.0")
		then.nothingWasRolledBack()
		then.noRequestHasFailed(200)
	})

	t.Run("no data fails", func(t *testing.T) {
		given, when, then := scenario(t)

		given.aHandler(canary, steps(step(50, "1s")), judgedBy(successRate, 20), noData(v1.NoDataFail))
		given.steadyTraffic(20)
		when.becomes(image("v1.1.0"))
		then.isRolledBack("v1.1.0", "no data on its success rate", "is it scraped", "counts as failed")
		then.itsPodsServe()
		then.noRequestHasFailed(200)
	})
}

package e2e

import (
	"testing"
	"time"
)

func TestDrainByEvidence(t *testing.T) {
	prometheusMeasures(t)

	// Requests that are under way keep their version, however long they take.
	t.Run("requests of 20 seconds", func(t *testing.T) {
		given, when, then := scenario(t)

		given.aHandler(setReplicas(2), useCanary, setSteps(makeStep(50, "1s")), scrapePods, drainedAfter(quiet))
		given.longRequestsByTheGateway(20*time.Second, 5)
		departures := given.departuresAreFilmed()
		when.applyChanges(setImage("v1.1.0"))
		then.isStable("v1.1.0")
		then.allGo("v1.0.0", departures)
		then.allPodsRun("v1.1.0")
		then.noRequestHasFailed(300)
		then.answersCameFrom("v1.0.0", "v1.1.0")
		then.theyWentAfter(quiet, "v1.0.0", then.traffic.stopOnce(), departures)
	})

	// A client that asks for its version by the header has it as long as it calls.
	t.Run("a pinned client", func(t *testing.T) {
		given, when, then := scenario(t)

		given.aHandler(setReplicas(2), useCanary, setSteps(makeStep(50, "1s")), scrapePods, drainedAfter(quiet), autoscaleBetween(2, 3))
		given.trafficBy(theGateway, 20)
		pinned := given.requestsFor("v1.0.0", "/users/%d", 2)
		departures := given.departuresAreFilmed()
		when.applyChanges(setImage("v1.1.0"))
		then.isStable("v1.1.0")
		then.itsStatusSays("v1.0.0 stays: it is still called")
		when.secondsPass(3 * int(quiet.Seconds()))
		then.nothingHasGone("v1.0.0", departures)
		then.eachCameFrom("v1.0.0", pinned)
		then.allGo("v1.0.0", departures, "HorizontalPodAutoscaler")
		then.theyWentAfter(quiet, "v1.0.0", pinned.stopOnce(), departures)
		then.itsRecordStays("v1.0.0")
		then.noRequestHasFailed(1000)
		then.answersCameFrom("v1.0.0", "v1.1.0")
	})
}

// Nothing is configured. An image without metrics goes by the deadline; one whose metrics
// stop is unknown and stays, however long.
func TestDrainWithoutMetrics(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	const deadline = 30 * time.Second
	given.aHandler(setReplicas(2), useCanary, setSteps(makeStep(50, "1s")), drainedAfter(quiet), goneAfter(deadline), addEnv("SAMPLE_METRICS", "never"))
	given.trafficBy(theGateway, 20)
	departures, film := given.departuresAreFilmed(), given.isFilmed()
	when.applyChanges(setImage("v1.1.0"), noEnv, addEnv("SAMPLE_METRICS", "80s"))
	then.isStable("v1.1.0")
	then.pinsAreMeasuredBy("none", "v1.0.0")
	then.pinsAreMeasuredBy("pods", "v1.1.0")
	then.allGo("v1.0.0", departures)

	then.metricsHaveStopped("v1.1.0")
	when.applyChanges(setImage("v2.0.0"), noEnv)
	then.isStable("v2.0.0")
	then.itsTrafficIsMeasured("False", "v1.1.0", "answers /metrics with 404")
	when.secondsPass(int((deadline + quiet).Seconds()))
	then.nothingHasGone("v1.1.0", departures)
	then.noRequestHasFailed(500)
	then.answersCameFrom("v1.0.0", "v1.1.0", "v2.0.0")
	then.theyWentAtTheDeadline(deadline, "v1.0.0", film, departures)
}

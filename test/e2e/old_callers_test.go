package e2e

import (
	"testing"

	v1 "gati.dev/gati/api/v1"
)

// Callers that know v1 alone never notice what comes after it: v2 and v3 each break the one
// before, and v1 is gone at the end. Nothing is configured: pods measure themselves.
func TestCallersOfAnOldVersionNeverNotice(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aProfilesHandler(setReplicas(2), useCanary, drainedAfter(quiet))
	given.callersOfV1(25)
	departures := given.departuresAreFilmed()

	when.profilesBecome("v2.0.0")
	then.theWeightIs("v2.0.0", 0)
	when.pairIsRecorded("v1.0.0", "v2.0.0", "profileUp", "profileDown")
	then.theWeightIs("v2.0.0", 10)
	then.pinsAreMeasuredBy("pods", "v1.0.0", "v2.0.0")
	when.requestWithPlugin("promote")
	then.theWeightIs("v2.0.0", 50)
	when.requestWithPlugin("promote")
	then.isStable("v2.0.0")
	then.itsStatusSays("v1.0.0 stays: it is still called")
	when.versionIs("deactivate", "v1.0.0")
	then.allGo("v1.0.0", departures)

	when.pairIsRecorded("v2.0.0", "v3.0.0", "profileToV3", "profileToV2")
	when.profilesBecome("v3.0.0")
	then.theWeightIs("v3.0.0", 10)
	when.requestWithPlugin("promote")
	then.theWeightIs("v3.0.0", 50)
	when.requestWithPlugin("rollback")
	then.theWeightIs("v3.0.0", 0)
	then.pinIsAnswered("v3.0.0", 200)
	when.profilesBecome("v2.0.0")
	then.allGo("v3.0.0", departures)
	then.pinIsAnswered("v3.0.0", 410)

	when.profilesBecome("v3.0.0")
	then.theWeightIs("v3.0.0", 10)
	when.requestWithPlugin("promote")
	then.theWeightIs("v3.0.0", 50)
	when.requestWithPlugin("promote")
	then.isStable("v3.0.0")
	then.allGo("v2.0.0", departures)
	then.allPodsRun("v3.0.0")
	then.noRequestHasFailed(3000)
	then.answersCameFrom("v1.0.0", "v2.0.0", "v3.0.0")
}

// The same without a gateway: pods are the traffic, and the new version gets none before
// its first report.
func TestCallersOfAnOldVersionInTheCluster(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aProfilesHandler(setReplicas(2), useCanary, drainedAfter(quiet), setSteps(makeStep(50, "5s")), inCluster)
	given.callersOfV1(25)
	when.pairIsRecorded("v1.0.0", "v2.0.0", "profileUp", "profileDown")
	when.profilesBecome("v2.0.0")
	then.isStable("v2.0.0")
	when.pairIsRecorded("v2.0.0", "v3.0.0", "profileToV3", "profileToV2")
	when.profilesBecome("v3.0.0")
	then.isStable("v3.0.0")
	then.allPodsRun("v3.0.0")
	then.noRequestHasFailed(3000)
	then.answersCameFrom("v1.0.0", "v2.0.0", "v3.0.0")
}

// Three versions share the traffic, each of which breaks the one before. Then the contract
// moves under clients that keep their connections, and back.
func TestSharesOfBreakingVersions(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aProfilesHandler(setReplicas(2), useManual, inNoHurry)
	given.callersOfV1(25)
	when.pairIsRecorded("v1.0.0", "v2.0.0", "profileUp", "profileDown")
	when.profilesBecome("v2.0.0")
	then.eachPinIsServed("v1.0.0", "v2.0.0")
	when.pairIsRecorded("v2.0.0", "v3.0.0", "profileToV3", "profileToV2")
	when.profilesBecome("v3.0.0")
	then.eachPinIsServed("v1.0.0", "v2.0.0", "v3.0.0")
	when.versionIs("set-traffic", "v1.0.0=50", "v2.0.0=30", "v3.0.0=20")
	then.theWeightIs("v1.0.0", 50)
	then.theWeightIs("v2.0.0", 30)
	then.theWeightIs("v3.0.0", 20)
	then.noRequestHasFailed(500)
	given.callersOfV1(25)
	then.versionIsRefused("v1.0.0 has 50 % of the traffic and does not serve callers of v2.0.0", "contract", "v2.0.0")
	then.noRequestHasFailed(1500)
	then.answersCameFrom("v1.0.0", "v2.0.0", "v3.0.0")

	given.callersOf(25, v1Answers, v2Answers)
	when.versionIs("set-traffic", "v1.0.0=0", "v2.0.0=60", "v3.0.0=40")
	then.theWeightIs("v3.0.0", 40)
	then.theWeightIs("v1.0.0", 0)
	when.versionIs("contract", "v2.0.0")
	then.theContractIs("v2.0.0")
	then.versionIsRefused("move the contract back first", "set-traffic", "v1.0.0=50", "v2.0.0=30", "v3.0.0=20")
	then.callersWithoutAVersionSpeak(v2Answers)
	then.noRequestHasFailed(500)
	when.versionIs("contract", "v1.0.0")
	then.theContractIs("v1.0.0")
	then.callersWithoutAVersionSpeak(v1Answers)
	given.callersOfV1(25)
	then.noRequestHasFailed(500)
}

// An image that lacks a transformer gets no traffic and is named; the next one goes on by
// itself. One whose transformers fail now and then goes back, and its reason names them.
func TestTransformersThatAreMissingOrFail(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aProfilesHandler(setReplicas(2), useCanary, drainedAfter(quiet))
	given.callersOfV1(25)
	when.pairIsRecorded("v1.0.0", "v2.0.0", "profileUp", "profileDown")
	when.profilesBecome("v2.0.0", addEnv("GATI_TRANSFORMERS", "/tmp"))
	then.itWaitsFor(v1.WaitingForTransformers, "0 of ", "hold v1.0.0→v2.0.0; handler-users--v2-0-0-", "lacks it (profileUp, profileDown)")
	then.theWeightIs("v2.0.0", 0)
	when.profilesBecome("v2.0.0")
	then.theWeightIs("v2.0.0", 10)
	then.noRequestHasFailed(500)

	given.callersThatMayFail(25)
	when.profilesBecome("v2.0.0", addEnv("SAMPLE_TRANSFORMER_FAILURE_RATE", "0.05"), judgedBy(successRate))
	then.itsTemplateHas("v2.0.0", 3, 10)
	when.requestWithPlugin("promote")
	then.isRolledBack("v2.0.0", "success rate", "v1.0.0→v2.0.0 (profileUp, profileDown) has failed")
}

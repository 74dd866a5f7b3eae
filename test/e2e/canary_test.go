package e2e

import "testing"

func TestCanaryUnderLoad(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aHandler(setReplicas(2), useCanary)
	given.steadyTraffic(50)
	when.applyChanges(setImage("v1.1.0"))
	then.theShareIs("v1.1.0", 10)
	then.eachPinReaches("v1.0.0", "v1.1.0")
	when.requestWithPlugin("promote")
	then.theShareIs("v1.1.0", 50)
	then.eachPinReaches("v1.0.0", "v1.1.0")
	when.requestWithPlugin("promote")
	then.theShareIs("v1.1.0", 100)
	then.eachPinReaches("v1.1.0")
	then.allPodsRun("v1.1.0")
	then.noRequestHasFailed(4000)
	then.answersCameFrom("v1.0.0", "v1.1.0")
}

func TestRollbackOfACanaryUnderLoad(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aHandler(setReplicas(2), useCanary)
	given.steadyTraffic(50)
	when.applyChanges(setImage("v1.1.0"))
	then.theShareIs("v1.1.0", 10)
	when.requestWithPlugin("promote")
	then.theShareIs("v1.1.0", 50)
	when.requestWithPlugin("rollback")
	then.theShareIs("v1.1.0", 0)
	then.itsPodsServe()
	then.noRequestHasFailed(2000)
	then.answersCameFrom("v1.0.0", "v1.1.0")
}

// What v1 answers, and v2, which has split the name in two.
const (
	whole = `{"type": "object", "required": ["id", "name"], "properties": {"name": {"type": "string"}}}`
	split = `{"type": "object", "required": ["id", "givenName", "familyName"], "properties": {"givenName": {"type": "string"}, "familyName": {"type": "string"}}}`
)

func TestABreakingVersionBesideTheStableOne(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aHandler(setReplicas(2), useCanary, setOutputSchema(whole))
	given.steadyTraffic(50)
	when.applyChanges(setImage("v2.0.0"), setOutputSchema(split))
	then.eachPinReaches("v1.0.0", "v2.0.0")
	then.theShareIs("v2.0.0", 0)
	when.transformersAreRecorded("v1.0.0", "v2.0.0")
	then.theShareIs("v2.0.0", 10)
	then.noRequestHasFailed(2000)
	then.answersCameFrom("v1.0.0", "v2.0.0")
}

package e2e

import (
	"testing"
	"time"
)

func TestTheSampleServes(t *testing.T) {
	t.Parallel()
	given, _, then := scenario(t)

	given.aModule("directory")
	given.aHandler(setReplicas(2), setModules("directory"))
	then.itAnswersAs("v1.0.0")
	then.itsModuleHasAnswered()
	then.itsPodsAreHardened()
}

func TestRollingUpdateUnderLoad(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aHandler(setReplicas(3))
	given.steadyTraffic(100)
	when.applyChanges(setImage("v1.1.0"))
	then.allPodsRun("v1.1.0")
	then.noRequestHasFailed(many)
	then.answersCameFrom("v1.0.0", "v1.1.0")
}

func TestRollingUpdateOfTwoReplicas(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aHandler(setReplicas(2))
	given.steadyTraffic(100)
	when.applyChanges(setImage("v1.1.0"))
	then.allPodsRun("v1.1.0")
	when.applyChanges(setImage("v2.0.0"))
	then.allPodsRun("v2.0.0")
	then.noRequestHasFailed(many)
	then.answersCameFrom("v1.0.0", "v1.1.0", "v2.0.0")
}

func TestRollingUpdateWithSlowStart(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aHandler(setReplicas(2))
	given.steadyTraffic(100)
	when.applyChanges(setImage("v1.1.0"), addEnv("SAMPLE_START_DELAY", "10s"), addEnv("SAMPLE_READY", "5s"))
	then.allPodsRun("v1.1.0")
	then.noRequestHasFailed(many)
	then.answersCameFrom("v1.0.0", "v1.1.0")
}

func TestRollingUpdateWithLongRequestsInFlight(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aHandler(setReplicas(2))
	given.requestsThatTake(10*time.Second, 100)
	when.applyChanges(setImage("v1.1.0"))
	then.allPodsRun("v1.1.0")
	then.noRequestHasFailed(many)
	then.answersCameFrom("v1.0.0", "v1.1.0")
}

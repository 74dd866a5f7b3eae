package e2e

import "testing"

// What a version does wrong before it is ready, none of its callers may notice.
func TestACanaryThatCrashesTakesNoTraffic(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aHandler(setReplicas(2), useCanary)
	given.steadyTraffic(50)
	when.applyChanges(setImage("v1.1.0"), addEnv("SAMPLE_CRASH", "start"))
	then.isRolledBack("v1.1.0", "restarted 3 times", "limit 3", "0 of 1 pods ready", "exit code 1")
	then.itsPodsServe()
	then.noRequestHasFailed(1000)
	then.answersCameFrom("v1.0.0")
}

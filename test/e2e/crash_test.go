package e2e

import "testing"

// What a version does wrong before it is ready, none of its callers may notice.
func TestACanaryThatCrashesTakesNoTraffic(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aHandler(replicas(2), canary)
	given.steadyTraffic(50)
	when.becomes(image("v1.1.0"), env("SAMPLE_CRASH", "start"))
	then.isRolledBack("v1.1.0", "restarted 3 times", "limit 3", "0 of 1 pods ready", "exit code 1")
	then.itsPodsServe()
	then.noRequestHasFailed(1000)
	then.answersCameFrom("v1.0.0")
}

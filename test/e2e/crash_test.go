package e2e

import (
	"fmt"
	"testing"
	"time"
)

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

// A version may begin to crash at any step. What fails is no more than what was on its way when
// the first of its pods is seen not ready: then it has no traffic.
func TestACrashLoopAtEachStep(t *testing.T) {
	for _, at := range []int32{10, 50, 100} {
		t.Run(fmt.Sprintf("%d %%", at), func(t *testing.T) {
			t.Parallel()
			given, when, then := scenario(t)

			given.aHandler(setReplicas(2), useCanary, inRollbackWindow)
			given.steadyTraffic(50)
			crash := when.allPodsCrashIn("v1.1.0", 75*time.Second)
			then.theWeightIs("v1.1.0", 10)
			for _, step := range []int32{50, 100} {
				if step <= at {
					when.requestWithPlugin("promote")
					then.theWeightIs("v1.1.0", step)
				}
			}
			seen := then.itsPodsAreSeenNotReady("v1.1.0", crash)
			then.theWeightIs("v1.1.0", 0)
			then.isRolledBack("v1.1.0")
			then.failuresEndWith(seen, 1000)
		})
	}
}

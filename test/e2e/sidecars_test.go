package e2e

import "testing"

// A handler is reached through a sidecar that reads what an init container wrote. Another
// sidecar crashes: once in each pod of v1.0.0 and v1.1.0, again and again in those of v2.0.0.
func TestContainersBesideAHandler(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aHandler(setReplicas(2), useCanary, setProxy, setFlaky(crashesOnce))
	given.steadyTraffic(50)
	ends := given.podsAreFilmed()
	then.answersCameThroughTheProxy()
	then.statusShows("sidecar flaky ended with exit code 3; container handler is well")

	when.applyChanges(setImage("v1.1.0"))
	then.theShareIs("v1.1.0", 10)
	when.requestWithPlugin("promote")
	then.theShareIs("v1.1.0", 50)
	when.requestWithPlugin("rollback")
	then.theShareIs("v1.1.0", 0)

	when.applyChanges(setImage("v2.0.0"), setFlaky(crashesAlways))
	then.itsStatusSays("v2.0.0 has 0 of the 1 ready pod", "sidecar flaky ended with exit code 3; container handler is well")
	then.theShareIs("v2.0.0", 0)
	then.itsPodsServe()
	then.noRequestHasFailed(3000)
	then.answersCameFrom("v1.0.0", "v1.1.0")
	then.sidecarsStopLast(ends)
}

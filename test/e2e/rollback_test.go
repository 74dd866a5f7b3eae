package e2e

import (
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/statusrecorder"
)

func TestARollbackFromHalfTakesSeconds(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aHandler(setReplicas(2), useCanary, setSteps(makeStep(50, "")))
	given.steadyTraffic(50)
	film := given.isFilmed()
	when.applyChanges(setImage("v1.1.0"))
	then.theShareIs("v1.1.0", 50)
	asked := time.Now()
	when.requestWithPlugin("rollback")
	then.allIsBack("v1.0.0", asked, film)
	then.theShareIs("v1.1.0", 0)
	then.itsPodsServe()
	then.noRequestHasFailed(1500)
	then.answersCameFrom("v1.0.0", "v1.1.0")
}

// backWithin is how long it may take until all traffic is back: on a machine at rest
// it is three seconds.
const backWithin = 30 * time.Second

// allIsBack waits until the gateway has accepted that a version has all traffic
// again, and tells how long after the request that was.
func (n then) allIsBack(version string, asked time.Time, film *film[*v1.GatiHandler]) {
	n.t.Helper()
	back := film.awaitFirst("rollback that the gateway has accepted", func(f statusrecorder.Frame[*v1.GatiHandler]) bool {
		return f.At.After(asked) && hasAccepted(f.Object, version, 100)
	})
	took := back.At.Sub(asked)
	if took > backWithin {
		n.t.Errorf("all traffic was back with %s after %s, want at most %s", version, took, backWithin)
	}
	n.logStep("then %s has all traffic again %.1fs after the request", version, took.Seconds())
}

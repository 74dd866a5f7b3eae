package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	"gati.dev/gati/test/support/load"
)

// Requests that fail while the gateway is away are the gateway's. All others arrive.
func TestTheGatewayIsGoneInMidCanary(t *testing.T) {
	given, when, then := scenario(t)

	given.aHandler(setReplicas(2), useCanary)
	given.trafficBy(theService, 30)
	when.applyChanges(setImage("v1.1.0"))
	then.theShareIs("v1.1.0", 10)
	when.theGatewayIsGoneFor(2*time.Second, func() { when.requestWithPlugin("promote") })
	then.theShareIs("v1.1.0", 50)
	when.theGatewayIsGoneFor(2*time.Second, func() {})
	then.theShareIs("v1.1.0", 50)
	when.requestWithPlugin("promote")
	then.theShareIs("v1.1.0", 100)
	then.allPodsRun("v1.1.0")
	then.nothingWasRolledBack()
	then.noRequestHasFailed(1000)
	then.answersCameFrom("v1.0.0", "v1.1.0")
}

// The two ways to the handler, in the order of targets.
const theGateway, theService = 0, 1

// trafficBy is traffic that takes one of the two ways.
func (g given) trafficBy(way, rate int) {
	g.t.Helper()
	g.traffic = startTraffic(g.t, load.Config{Targets: g.loadTargets("/users/%d")[way:][:1], Rate: rate, Count: most, Seed: seedOf(g.t)})
	g.logStep("given traffic of %d requests a second by the %s, seed %d", rate, []string{"gateway", "Service"}[way], seedOf(g.t))
}

// theGatewayIsGoneFor kills Traefik, has something done, and starts it again. What
// is sent by it until it answers again is counted apart.
func (w when) theGatewayIsGoneFor(length time.Duration, meanwhile func()) {
	w.t.Helper()
	during := startTraffic(w.t, load.Config{Targets: w.loadTargets("/users/%d")[:1], Rate: 50, Count: most, Seed: seedOf(w.t)})
	w.eventually("answers by the gateway", func() error {
		if done, _ := during.Progress(); done < 50 {
			return fmt.Errorf("%d answers", done)
		}
		return nil
	})
	w.isGone("traefik")
	killed := time.Now()
	meanwhile()
	time.Sleep(time.Until(killed.Add(length)))
	w.isBack("traefik")
	w.awaitAnswers()
	away, report := time.Since(killed), during.stopOnce()
	if report.Failed() == 0 {
		w.t.Errorf("no request has failed while the gateway was gone: it was not")
	}
	w.logStep("when the gateway does not answer for %.1fs, in which by it %d of %d requests fail", away.Seconds(), report.Failed(), report.Offered)
}

// isGone kills a component of the cluster and leaves it so, for this scenario.
func (w when) isGone(component string) {
	w.t.Helper()
	w.t.Cleanup(func() {
		if !w.t.Failed() {
			return
		}
		if err := cluster.Restart(context.Background(), component); err != nil {
			w.t.Errorf("start %s again: %v", component, err)
		}
	})
	if err := cluster.Kill(w.t.Context(), component); err != nil {
		w.t.Fatal(err)
	}
	w.logStep("when %s is killed", component)
}

// isBack starts a component again.
func (w when) isBack(component string) {
	w.t.Helper()
	if err := cluster.Restart(w.t.Context(), component); err != nil {
		w.t.Fatal(err)
	}
	w.logStep("when %s is started again", component)
}

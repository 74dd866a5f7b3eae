package e2e

import (
	"fmt"
	"testing"

	v1 "gati.dev/gati/api/v1"
)

// A handler takes another strategy while it serves, and goes back to its first.
func TestStrategiesChangeUnderLoad(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aHandler(setReplicas(2))
	given.steadyTraffic(50)
	when.applyChanges(useCanary)
	then.awaitReady()
	then.itsPodsAreTheSame()
	when.applyChanges(setImage("v1.1.0"))
	then.theWeightIs("v1.1.0", 10)
	when.requestWithPlugin("promote")
	then.theShareIs("v1.1.0", 50)
	when.requestWithPlugin("promote")
	then.allPodsRun("v1.1.0")
	when.applyChanges(useRollingUpdate)
	then.allPodsAreIn(v1.WorkloadMain)
	when.applyChanges(setImage("v2.0.0"))
	then.allPodsRun("v2.0.0")
	then.allPodsAreIn(v1.WorkloadMain)
	then.nothingWasRolledBack()
	then.noRequestHasFailed(3000)
	then.answersCameFrom("v1.0.0", "v1.1.0", "v2.0.0")
}

// useRollingUpdate takes back the strategy and leaves the rest of the spec as it is.
func useRollingUpdate(s *v1.GatiHandlerSpec) { s.Rollout.Strategy = v1.StrategyRollingUpdate }

// allPodsAreIn waits until the handler is Ready with one workload alone.
func (n then) allPodsAreIn(workload string) {
	n.t.Helper()
	n.awaitReady()
	n.eventually("pods of "+workload+" alone", func() error {
		pods, err := n.handlerPods()
		if err != nil {
			return err
		}
		for _, p := range pods {
			if got := p.Labels[v1.LabelWorkload]; got != workload {
				return fmt.Errorf("pod %s is of %s", p.Name, got)
			}
		}
		if len(pods) != int(n.wantedReplicas()) {
			return fmt.Errorf("%d pods, want %d", len(pods), n.wantedReplicas())
		}
		return nil
	})
	n.logStep("then all pods are in the workload %s", workload)
}

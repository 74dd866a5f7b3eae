package e2e

import (
	"fmt"
	"testing"
	"time"
)

// What Kubernetes itself goes through: each part is killed and started again while
// the handler serves.
func TestRestartOfKubernetes(t *testing.T) {
	for _, component := range []string{"etcd", "kube-apiserver", "kubelet"} {
		t.Run(component, func(t *testing.T) {
			given, when, then := scenario(t)

			given.aHandler(setReplicas(2))
			given.itsPodsAreOld()
			given.steadyTraffic(50)
			when.isKilledAndStartedAgain(component)
			then.gatiIsUp()
			then.itsPodsAreTheSame()
			when.applyChanges(setImage("v1.1.0"))
			then.allPodsRun("v1.1.0")
			then.noRequestHasFailed(1000)
			then.answersCameFrom("v1.0.0", "v1.1.0")
		})
	}
}

func (w when) isKilledAndStartedAgain(component string) {
	w.t.Helper()
	if err := cluster.Restart(w.t.Context(), component); err != nil {
		w.t.Fatal(err)
	}
	w.logStep("when %s is killed and started again", component)
	w.eventually("API server that admits", func() error { return firstApply(w.t.Context()) })
}

// youth is how long after its start a container may lose its Ready when the
// kubelet is started again: ten seconds, kubeletRestartGracePeriod in the kubelet's
// prober_manager.go, and some for clocks that are cut off to seconds.
const youth = 12 * time.Second

// itsPodsAreOld waits until the kubelet takes the pods for ones that were there
// before it.
func (w *world) itsPodsAreOld() {
	w.t.Helper()
	w.eventually("pods that are older than "+youth.String(), func() error {
		pods, err := w.handlerPods()
		if err != nil {
			return err
		}
		for _, p := range pods {
			for _, c := range p.Status.ContainerStatuses {
				if c.State.Running == nil || time.Since(c.State.Running.StartedAt.Time) < youth {
					return fmt.Errorf("pod %s is younger", p.Name)
				}
			}
		}
		return nil
	})
	w.logStep("given that its pods have run for %s", youth)
}

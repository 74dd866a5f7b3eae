package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/sampleapp"
)

// Callers of the port that a handler began with notice neither another one nor the way
// back, while pods of both ports serve side by side.
func TestAPortChangesUnderLoadRollingUpdate(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aHandler(setReplicas(3))
	given.steadyTraffic(100)
	when.applyChanges(setImage("v1.1.0"), setPort(8080))
	then.allPodsRun("v1.1.0")
	then.portsAnswer("v1.1.0", 3000, 8080)
	when.requestWithPlugin("rollback")
	then.podsRunAlone("v1.0.0")
	then.portsAnswer("v1.0.0", 3000, 8080)
	then.noRequestHasFailed(many)
	then.answersCameFrom("v1.0.0", "v1.1.0")
}

func TestAPortChangesUnderLoadCanary(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aHandler(setReplicas(2), useCanary, setSteps(makeStep(50, ""), makeStep(100, "")))
	given.steadyTraffic(50)
	when.applyChanges(setImage("v1.1.0"), setPort(8080))
	then.theShareIs("v1.1.0", 50)
	then.portsAnswer("v1.0.0", 3000, 8080)
	when.requestWithPlugin("rollback")
	then.theShareIs("v1.1.0", 0)
	when.applyChanges(setImage("v2.0.0"))
	then.theShareIs("v2.0.0", 50)
	when.requestWithPlugin("promote")
	then.allPodsRun("v2.0.0")
	then.portsAnswer("v2.0.0", 3000, 8080)
	then.noRequestHasFailed(3000)
	then.answersCameFrom("v1.0.0", "v1.1.0", "v2.0.0")
}

func TestAPortChangesUnderLoadManual(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aHandler(setReplicas(2), useManual)
	given.steadyTraffic(50)
	when.applyChanges(setImage("v1.1.0"), setPort(8080))
	then.eachPinReaches("v1.0.0", "v1.1.0")
	when.trafficIsSet("v1.0.0=50", "v1.1.0=50")
	then.theShareIs("v1.1.0", 50)
	when.trafficIsSet("v1.0.0=0", "v1.1.0=100")
	then.theShareIs("v1.1.0", 100)
	then.portsAnswer("v1.1.0", 3000, 8080)
	when.trafficIsSet("v1.0.0=100", "v1.1.0=0")
	then.theShareIs("v1.0.0", 100)
	then.noRequestHasFailed(3000)
	then.answersCameFrom("v1.0.0", "v1.1.0")
}

func setPort(number int32) change { return func(s *v1.GatiHandlerSpec) { s.Port = &number } }

// trafficIsSet sets the shares of versions with the plugin, as people do.
func (w when) trafficIsSet(shares ...string) {
	w.t.Helper()
	args := append([]string{"version", "set-traffic", "users"}, shares...)
	cmd := exec.CommandContext(w.t.Context(), tools.Plugin, append(args, "-n", w.ns, "--yes")...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+cluster.Kubeconfig)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("kubectl gati version set-traffic %v: %v\n%s", shares, err, out)
	}
	w.logStep("when kubectl gati version set-traffic users %v", shares)
}

// portsAnswer waits until the front Service answers as a version at each port.
func (n then) portsAnswer(version string, ports ...int32) {
	n.t.Helper()
	var s corev1.Service
	if err := admin.Get(n.t.Context(), client.ObjectKey{Namespace: n.ns, Name: "handler-users"}, &s); err != nil {
		n.t.Fatal(err)
	}
	for _, number := range ports {
		n.eventually(fmt.Sprintf("%s at port %d", version, number), func() error {
			r, err := askForReply(n.t.Context(), fmt.Sprintf("http://%s:%d/users/7", s.Spec.ClusterIP, number), "", "")
			if err == nil && r.Version != version {
				err = fmt.Errorf("%s has answered", r.Version)
			}
			return err
		})
	}
	n.logStep("then %s answers at the ports %v", version, ports)
}

// podsRunAlone waits until the handler has pods of that version alone. After a rollback
// the handler is not Ready.
func (n then) podsRunAlone(version string) {
	n.t.Helper()
	n.eventually("pods of "+version+" alone", func() error {
		pods, err := n.handlerPods()
		if err != nil {
			return err
		}
		for _, p := range pods {
			if got := p.Spec.Containers[0].Image; got != sampleapp.Repository+":"+version {
				return fmt.Errorf("pod %s runs %s", p.Name, got)
			}
		}
		if len(pods) != int(n.wantedReplicas()) {
			return fmt.Errorf("%d pods, want %d", len(pods), n.wantedReplicas())
		}
		return nil
	})
	n.logStep("then all pods run %s", version)
}

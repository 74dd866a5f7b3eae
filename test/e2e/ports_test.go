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

	given.aHandler(replicas(3))
	given.steadyTraffic(100)
	when.becomes(image("v1.1.0"), port(8080))
	then.allPodsRun("v1.1.0")
	then.portsAnswer("v1.1.0", 3000, 8080)
	when.asked("rollback")
	then.podsRunAlone("v1.0.0")
	then.portsAnswer("v1.0.0", 3000, 8080)
	then.noRequestHasFailed(many)
	then.answersCameFrom("v1.0.0", "v1.1.0")
}

func TestAPortChangesUnderLoadCanary(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aHandler(replicas(2), canary, steps(step(50, ""), step(100, "")))
	given.steadyTraffic(50)
	when.becomes(image("v1.1.0"), port(8080))
	then.theShareIs("v1.1.0", 50)
	then.portsAnswer("v1.0.0", 3000, 8080)
	when.asked("rollback")
	then.theShareIs("v1.1.0", 0)
	when.becomes(image("v2.0.0"))
	then.theShareIs("v2.0.0", 50)
	when.asked("promote")
	then.allPodsRun("v2.0.0")
	then.portsAnswer("v2.0.0", 3000, 8080)
	then.noRequestHasFailed(3000)
	then.answersCameFrom("v1.0.0", "v1.1.0", "v2.0.0")
}

func TestAPortChangesUnderLoadManual(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aHandler(replicas(2), manual)
	given.steadyTraffic(50)
	when.becomes(image("v1.1.0"), port(8080))
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

func port(number int32) change { return func(s *v1.GatiHandlerSpec) { s.Port = &number } }

// trafficIsSet sets the shares of versions with the plugin, as people do.
func (w when) trafficIsSet(shares ...string) {
	w.t.Helper()
	args := append([]string{"version", "set-traffic", "users"}, shares...)
	cmd := exec.CommandContext(w.t.Context(), tools.Plugin, append(args, "-n", w.ns, "--yes")...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+cluster.Kubeconfig)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("kubectl gati version set-traffic %v: %v\n%s", shares, err, out)
	}
	w.say("when kubectl gati version set-traffic users %v", shares)
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
			r, err := ask(n.t.Context(), fmt.Sprintf("http://%s:%d/users/7", s.Spec.ClusterIP, number), "", "")
			if err == nil && r.Version != version {
				err = fmt.Errorf("%s has answered", r.Version)
			}
			return err
		})
	}
	n.say("then %s answers at the ports %v", version, ports)
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
		if len(pods) != int(n.wanted()) {
			return fmt.Errorf("%d pods, want %d", len(pods), n.wanted())
		}
		return nil
	})
	n.say("then all pods run %s", version)
}

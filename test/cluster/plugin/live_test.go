package plugin

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/repository"
	"gati.dev/gati/test/support/screen"
)

// openLiveView opens a command of the plugin in a terminal.
func openLiveView(t *testing.T, args ...string) *screen.Session {
	t.Helper()
	return openInTerminal(t, "xterm-256color", args...)
}

// openInTerminal opens a command of the plugin in a terminal of a kind.
func openInTerminal(t *testing.T, kind string, args ...string) *screen.Session {
	t.Helper()
	binary := filepath.Join(repository.Bin(), "kubectl-gati")
	cmd := exec.Command("env", append([]string{"TERM=" + kind, binary}, args...)...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+env.Cluster.Kubeconfig)
	return screen.Start(t, 110, 36, cmd)
}

// TestLive takes a canary through its steps by keys alone: opened while it waits,
// paused, resumed, promoted, gone back from, and left.
func TestLive(t *testing.T) {
	t.Parallel()
	const ns = "live"
	env.Namespace(t, ns)
	applyManifest(t, "git", makeCanary(ns, "v1.0.0", "Canary"))
	runGati(t, "rollout", "status", "users", "-n", ns, "--timeout", patience).assertResult(t, 0)
	applyManifest(t, "git", makeCanary(ns, "v2.0.0", "Canary"))
	runGati(t, "rollout", "status", "users", "-n", ns, "--timeout", patience).assertResult(t, 4)

	s := openLiveView(t, "rollout", "users", "-n", ns)
	s.Shows("v2.0.0 has 50 %", "50% until promoted", "Paused", "Traffic", "p promote")
	s.Type(" ")
	s.Shows("pause users?", "paused until resumed", "y yes")
	s.Type("y")
	s.Shows("paused by", "space resume")
	s.Type(" ")
	s.Shows("resume users?", "resumed; it was paused by")
	s.Type("y")
	s.Shows("space pause")
	s.Type("p")
	s.Shows("promote users?", "v2.0.0 50% → 100% (step 1 → 2 of 2)", "undo: kubectl gati rollout abort users")
	s.Type("n")
	s.Shows("cancelled; nothing changed", "v2.0.0 has 50 %")
	s.Type("p")
	s.Shows("promote users?", "y yes")
	s.Type("y")
	s.Shows("Healthy", "Completed")
	s.Type("r")
	s.Shows("rollback v1.0.0 users?", "v1.0.0 0% → 100%")
	s.Type("y")
	s.Shows("RolledBack", "v1.0.0 is pinned by")
	s.Resize(40, 12)
	s.Shows("RolledBack", "space R v")
	s.Type("q")
	if code := s.Ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}

	applyManifest(t, "git", makeCanary(ns, "v3.0.0", "Canary"))
	s = openLiveView(t, "rollout", "users", "-n", ns, "--exit-on=complete")
	s.Shows("v3.0.0 has 50 %")
	s.Type("p")
	s.Shows("y yes")
	s.Type("y")
	if code := s.Ends(); code != 0 {
		t.Errorf("exit code %d once it is complete", code)
	}
}

// TestADumbTerminalGetsLines watches where the cursor cannot move, as in an editor's shell.
func TestADumbTerminalGetsLines(t *testing.T) {
	t.Parallel()
	const ns = "dumb"
	env.Namespace(t, ns)
	applyManifest(t, "git", makeCanary(ns, "v1.0.0", "Canary"))
	runGati(t, "rollout", "status", "users", "-n", ns, "--timeout", patience).assertResult(t, 0)
	for term, isView := range map[string]bool{"dumb": false, "xterm-256color": true} {
		s := openInTerminal(t, term, "status", "users", "-n", ns, "--watch")
		s.Shows("Healthy", "4/4")
		if got := s.Screen(); strings.Contains(got, "q quit") != isView {
			t.Errorf("TERM=%s shows\n%s", term, got)
		}
		s.Type("\x03")
		s.Ends()
	}
}

// awaitRight waits until the API server has noticed that a user may read handlers.
func awaitRight(t *testing.T, ns, user string) {
	t.Helper()
	await.Eventually(t, "right of "+user+" that the API server has noticed", func() error {
		if out, ok := env.Kubectl(t.Context(), "", "-n", ns, "auth", "can-i", "get", "gatihandlers.gati.dev", "--as="+user); !ok {
			return errors.New(out)
		}
		return nil
	})
}

// TestLiveRights holds that who may only look is told so before a key is pressed.
func TestLiveRights(t *testing.T) {
	t.Parallel()
	const ns = "onlookers"
	env.Namespace(t, ns)
	applyManifest(t, "git", makeCanary(ns, "v1.0.0", "Canary"))
	runGati(t, "rollout", "status", "users", "-n", ns, "--timeout", patience).assertResult(t, 0)
	env.Must(t, "", "-n", ns, "create", "role", "reader", "--verb=get,list,watch", "--resource=gatihandlers.gati.dev")
	env.Must(t, "", "-n", ns, "create", "rolebinding", "reader", "--role=reader", "--user=onlooker")
	awaitRight(t, ns, "onlooker")

	s := openLiveView(t, "rollout", "users", "-n", ns, "--as", "onlooker")
	s.Shows("× promote", "× restart", "you do not have this right in "+ns, "forbidden")
	s.Type("R")
	s.Shows("restart: you do not have this right")
	s.Type("q")
	if code := s.Ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

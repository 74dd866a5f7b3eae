package outage

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"gati.dev/gati/test/support/screen"
)

const (
	server   = "kube-apiserver"
	patience = "4m"
)

// canary is a handler of a version whose rollout waits at 50 % until promoted.
// Without a route the numbers of pods split the traffic.
func canary(namespace, version string) string {
	return fmt.Sprintf(`apiVersion: gati.dev/v1
kind: GatiHandler
metadata: {name: users, namespace: %s}
spec:
  path: /users
  version: %s
  image: registry.example.com/users:%s
  replicas: 2
  rollout: {strategy: Canary, steps: [{weight: 50}]}
`, namespace, version, version)
}

// nowhere is a handler whose pods have no node until there is one of the label
// stage=open.
func nowhere(namespace string) string {
	return fmt.Sprintf(`apiVersion: gati.dev/v1
kind: GatiHandler
metadata: {name: later, namespace: %s}
spec: {path: /later, image: "later:v1.0.0", replicas: 1, pod: {nodeSelector: {stage: open}}}
`, namespace)
}

// paused brings a handler to the step at which its rollout waits.
func paused(t *testing.T, ns string) {
	t.Helper()
	env.Namespace(t, ns)
	apply(t, canary(ns, "v1.0.0"))
	ends(t, 0, "rollout", "status", "users", "-n", ns, "--timeout", patience)
	apply(t, canary(ns, "v2.0.0"))
	ends(t, 4, "rollout", "status", "users", "-n", ns, "--timeout", patience)
}

func apply(t *testing.T, manifest string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "manifest.yaml")
	if err := os.WriteFile(file, []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	env.Must(t, "", "apply", "-f", file)
}

// ends runs a command of the plugin to its end, and holds its exit code.
func ends(t *testing.T, code int, args ...string) {
	t.Helper()
	cmd := gati(args...)
	out, _ := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("kubectl gati %s: exit code %d, want %d:\n%s", strings.Join(args, " "), got, code, out)
	}
}

// TestViewsOutliveOutages holds that views say that the API server is gone and keep what
// they knew, that they and a wait go on once it is back, and that keys work again.
func TestViewsOutliveOutages(t *testing.T) {
	const ns = "outage"
	paused(t, ns)
	page, list := live(t, "rollout", "users", "-n", ns), live(t, "status", "--watch", "-n", ns)
	page.Shows("v2.0.0 has 50 %", "p promote")
	list.Shows("gh/users", "Paused")
	views := []*screen.Session{page, list}
	standsStill(t, views)
	killed(t, ns, views)

	page.Type("p")
	page.Shows("promote users?", "y yes")
	page.Type("y")
	for _, s := range views {
		s.Shows("Healthy")
		s.Type("q")
		if code := s.Ends(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
}

// standsStill lets the API server take requests and answer none, although no connection
// breaks.
func standsStill(t *testing.T, views []*screen.Session) {
	t.Helper()
	goOn := stopped(t)
	for _, s := range views {
		s.Shows(gone...)
	}
	goOn()
	for _, s := range views {
		s.Hides("no connection for")
		s.Shows("reconnected after")
	}
}

// killed kills the API server while a user waits for a handler of the namespace as
// well, and starts it again.
func killed(t *testing.T, ns string, views []*screen.Session) {
	t.Helper()
	apply(t, nowhere(ns))
	wait, first := waiting(t, "status", "later", "-n", ns, "--for=healthy", "--timeout=10m", "--request-timeout="+patience)
	if !strings.Contains(first, "gh/later") {
		t.Errorf("the wait begins with %q", first)
	}
	if err := env.Cluster.Kill(t.Context(), server); err != nil {
		t.Fatal(err)
	}
	for _, s := range views {
		s.Shows(gone...)
	}
	if err := env.Cluster.Restart(t.Context(), server); err != nil {
		t.Fatal(err)
	}
	for _, s := range views {
		s.Hides("no connection for")
	}
	env.Must(t, "", "label", "nodes", "--all", "stage=open")
	if code := wait(); code != 0 {
		t.Errorf("the wait ends with %d", code)
	}
}

// gone is a view's message about a server that is gone, above its last state.
var gone = []string{"no connection for", "retrying", "showing the last state", "v2.0.0 has 50 %"}

// stopped lets the API server stand still, and returns what lets it go on. At the end of
// the test it does so in any case.
func stopped(t *testing.T) (goOn func()) {
	t.Helper()
	pid, err := env.Cluster.Pid(t.Context(), server)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	goOn = func() {
		once.Do(func() {
			if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
				t.Error(err)
			}
		})
	}
	t.Cleanup(goOn)
	return goOn
}

// waiting starts a wait and returns its first line, which says that it has seen how
// things are, and what waits for its exit code.
func waiting(t *testing.T, args ...string) (end func() int, first string) {
	t.Helper()
	cmd := gati(args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended where all went well
	lines := bufio.NewReader(out)
	first, err = lines.ReadString('\n')
	if err != nil {
		t.Fatalf("%q: %v", first, err)
	}
	return func() int {
		_, _ = lines.WriteTo(os.Stderr)
		_ = cmd.Wait() // the exit code says it
		return cmd.ProcessState.ExitCode()
	}, first
}

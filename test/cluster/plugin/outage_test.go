package plugin

import (
	"os"
	"sync"
	"syscall"
	"testing"

	"gati.dev/gati/test/support/screen"
)

const apiServer = "kube-apiserver"

// gone is a view's message about an API server that is gone, above its last state.
var gone = []string{"no connection for", "retrying", "showing the last state", "v2.0.0 has 50 %"}

// TestViewsOutliveOutages takes the API server away while a user looks at live views: it
// stands still without closing a connection, and it is killed while a wait is under way.
// The views say that it is gone and keep what they knew, they and the wait go on once it is
// back, and keys work again. It runs before the tests that run side by side.
func TestViewsOutliveOutages(t *testing.T) {
	const ns = "outage"
	env.Namespace(t, ns)
	applyManifest(t, "git", makeCanary(ns, "v1.0.0", "Canary"))
	runGati(t, "rollout", "status", "users", "-n", ns, "--timeout", patience).assertResult(t, 0)
	applyManifest(t, "git", makeCanary(ns, "v2.0.0", "Canary"))
	runGati(t, "rollout", "status", "users", "-n", ns, "--timeout", patience).assertResult(t, 4)

	page, list := openLiveView(t, "rollout", "users", "-n", ns), openLiveView(t, "status", "--watch", "-n", ns)
	page.Shows("v2.0.0 has 50 %", "p promote")
	list.Shows("gh/users", "Paused")
	views := []*screen.Session{page, list}
	standsStill(t, views)
	killAPIServer(t, ns, views)

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
	goOn := stopAPIServer(t)
	for _, s := range views {
		s.Shows(gone...)
	}
	goOn()
	for _, s := range views {
		s.Hides("no connection for")
		s.Shows("reconnected after")
	}
}

// stopAPIServer lets the API server stand still, and returns what lets it go on. At the end of
// the test it does so in any case.
func stopAPIServer(t *testing.T) (goOn func()) {
	t.Helper()
	pid, err := env.Cluster.Pid(t.Context(), apiServer)
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

// killAPIServer kills the API server while a user waits for a handler of the namespace as
// well, and starts it again.
func killAPIServer(t *testing.T, ns string, views []*screen.Session) {
	t.Helper()
	const name = "later"
	applyFirst(t, ns, name)
	w := wait{args: []string{"--for=healthy", "--timeout=10m", "--request-timeout=" + patience}, begins: "gh/" + name}
	w.then = func(t *testing.T, ns, name string, _ *os.Process) {
		t.Helper()
		if err := env.Cluster.Kill(t.Context(), apiServer); err != nil {
			t.Fatal(err)
		}
		for _, s := range views {
			s.Shows(gone...)
		}
		if err := env.Cluster.Restart(t.Context(), apiServer); err != nil {
			t.Fatal(err)
		}
		for _, s := range views {
			s.Hides("no connection for")
		}
		openGate(t, ns, name, nil)
	}
	if code, said := w.playWait(t, ns, name); code != 0 {
		t.Errorf("the wait ends with %d:\n%s", code, said)
	}
}

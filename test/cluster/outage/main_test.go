// Package outage takes the API server away while a user looks at a live view of the
// plugin, or waits with it: it is killed, and it stands still without closing a
// connection.
//
//	go test ./test/cluster/outage
//
// GATI_BIN is the folder of devcluster, gati-webhook and kubectl-gati, bin when
// empty.
package outage

import (
	"os"
	"os/exec"
	"testing"

	"gati.dev/gati/test/support/screen"
	"gati.dev/gati/test/support/terminal"
)

// env is shared by all tests.
var env *terminal.Environment

func TestMain(m *testing.M) {
	os.Exit(terminal.Main(m, terminal.Setup{Nodes: 1}, &env))
}

// gati is a command of the plugin.
func gati(args ...string) *exec.Cmd {
	cmd := exec.Command(env.Cluster.Tools().Plugin, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+env.Cluster.Kubeconfig)
	return cmd
}

// live opens a command of the plugin in a terminal.
func live(t *testing.T, args ...string) *screen.Session {
	t.Helper()
	return screen.Start(t, 110, 36, gati(args...))
}

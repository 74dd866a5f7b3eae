package install

import (
	"os"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/test/support/kube"
	"gati.dev/gati/test/support/terminal"
)

// env is a cluster without Gati: the tests install it.
var env *terminal.Environment

func TestMain(m *testing.M) {
	os.Exit(terminal.Main(m, terminal.Setup{Nodes: 2, Bare: true}, &env))
}

// newAdminClient returns a client that asks the API server itself.
func newAdminClient(t *testing.T) client.Client {
	t.Helper()
	c, err := kube.PatientClient(env.Config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

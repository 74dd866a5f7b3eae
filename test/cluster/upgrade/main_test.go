package upgrade

import (
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/terminal"
)

// env is what all tests share.
var env *terminal.Environment

func TestMain(m *testing.M) {
	os.Exit(terminal.Main(m, terminal.Setup{Nodes: 4}, &env))
}

// administrator returns a client that asks the API server itself.
func administrator(t *testing.T) client.Client {
	t.Helper()
	s := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(s))
	utilruntime.Must(v1.AddToScheme(s))
	config := rest.CopyConfig(env.Config)
	config.WarningHandlerWithContext = rest.NoWarnings{}
	c, err := client.New(config, client.Options{Scheme: s})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

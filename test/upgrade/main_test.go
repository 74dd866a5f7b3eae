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
	"gati.dev/gati/test/support/console"
)

// terminal is what all tests share.
var terminal *console.Console

func TestMain(m *testing.M) {
	os.Exit(console.Main(m, console.Setup{Nodes: 4}, &terminal))
}

// administrator returns a client that asks the API server itself.
func administrator(t *testing.T) client.Client {
	t.Helper()
	s := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(s))
	utilruntime.Must(v1.AddToScheme(s))
	config := rest.CopyConfig(terminal.Config)
	config.WarningHandlerWithContext = rest.NoWarnings{}
	c, err := client.New(config, client.Options{Scheme: s})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

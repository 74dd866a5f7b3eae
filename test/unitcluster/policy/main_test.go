package policy

import (
	"context"
	"flag"
	"os"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/test/support/apiserver"
)

// What all tests of the package share.
var (
	config *rest.Config
	admin  client.Client
	hooks  *hookServer
)

func TestMain(m *testing.M) {
	flag.Parse()
	ctrl.SetLogger(logr.Discard())
	os.Exit(apiserver.Main(m, prepareServer))
}

func prepareServer(server *apiserver.Server) (err error) {
	config = server.Config
	if admin, err = client.New(config, client.Options{}); err != nil {
		return err
	}
	hooks = startHooks()
	return installAll(context.Background(), hooks)
}

package requests

import (
	"flag"
	"os"
	"sync"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/cmd/gati-webhook/app"
	"gati.dev/gati/test/support/kube"
	"gati.dev/gati/test/support/terminal"
)

const (
	// nodes is enough for the pods of every cell.
	nodes = 8
	// atOnce is how many cells are worked on side by side: they mostly wait.
	atOnce = "8"
)

// env is shared by all tests.
var env *terminal.Environment

func TestMain(m *testing.M) {
	if patch, called := os.LookupEnv(editVariable); called {
		os.Exit(edit(os.Args[len(os.Args)-1], patch))
	}
	flag.Parse()
	// The default is one test for each processor.
	if err := flag.Set("test.parallel", atOnce); err != nil {
		panic(err)
	}
	os.Exit(terminal.Main(m, terminal.Setup{Nodes: nodes, Serve: app.Serve}, &env))
}

// admin asks the API server itself; it has no cache.
var admin = sync.OnceValue(func() client.Client {
	c, err := kube.Client(env.Config)
	if err != nil {
		panic(err)
	}
	return c
})

package requests

import (
	"context"
	"errors"
	"flag"
	"os"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/terminal"
)

const (
	// nodes is enough for the pods of every cell.
	nodes = 8
	// atOnce is how many cells are worked on side by side: they mostly wait.
	atOnce = "8"
	// patience is ten times what anything here takes on an idle machine, where an
	// autoscaler looks at its workload every 15 seconds.
	patience = 150 * time.Second
	// interval is how often a condition is looked at.
	interval = 150 * time.Millisecond
)

// env is what all tests share.
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
	os.Exit(terminal.Main(m, terminal.Setup{Nodes: nodes}, &env))
}

// admin asks the API server itself; it has no cache.
var admin = sync.OnceValue(func() client.Client {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1.AddToScheme(scheme))
	config := rest.CopyConfig(env.Config)
	config.WarningHandlerWithContext = rest.NoWarnings{}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		panic(err)
	}
	return c
})

// eventually waits until a check finds nothing wrong. The failure tells what was
// waited for and what was wrong last.
func eventually(t *testing.T, what string, check func() error) {
	t.Helper()
	last := errors.New("not looked at")
	err := wait.PollUntilContextTimeout(t.Context(), interval, patience, true, func(context.Context) (bool, error) {
		last = check()
		return last == nil, nil
	})
	if err != nil {
		t.Fatalf("within %s there was no: %s\nlast seen: %v", patience, what, last)
	}
}

// Package api checks the CRDs against a real API server: that it takes them,
// and that they alone, without gati-webhook, refuse what they should.
package api

import (
	"fmt"
	"os"
	"testing"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/test/support/apiserver"
)

// config and admin reach the API server that all tests of the package share.
var (
	config *rest.Config
	admin  client.Client
)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	server, err := apiserver.Start()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		if err := server.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stop the API server:", err)
		}
	}()
	config = server.Config
	if admin, err = client.New(config, client.Options{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

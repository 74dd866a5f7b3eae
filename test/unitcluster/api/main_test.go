// Package api checks the CRDs against a real API server: that it takes them,
// and that they alone, without gati-webhook, refuse what they should.
package api

import (
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
	os.Exit(apiserver.Main(m, func(server *apiserver.Server) (err error) {
		config = server.Config
		admin, err = client.New(config, client.Options{})
		return err
	}))
}

// Package target checks against a real API server that what was applied stays as
// planned, that what stands is not written again, and that nothing of others is
// touched.
package target

import (
	"context"
	"os"
	"testing"

	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/apiserver"
	"gati.dev/gati/test/support/gateway"
)

// config reaches the API server that all tests of the package share.
var config *rest.Config

func TestMain(m *testing.M) {
	os.Exit(apiserver.Main(m, func(server *apiserver.Server) error {
		config = server.Config
		return installHTTPRoutes()
	}))
}

// installHTTPRoutes installs HTTPRoutes, from the very module that we are built with.
func installHTTPRoutes() error {
	for _, add := range []func() error{
		func() error { return v1.AddToScheme(scheme.Scheme) },
		func() error { return gatewayv1.Install(scheme.Scheme) },
	} {
		if err := add(); err != nil {
			return err
		}
	}
	crds, err := gateway.CRDs(context.Background(), "httproutes")
	if err != nil {
		return err
	}
	_, err = envtest.InstallCRDs(config, envtest.CRDInstallOptions{Paths: crds, ErrorIfPathMissing: true})
	return err
}

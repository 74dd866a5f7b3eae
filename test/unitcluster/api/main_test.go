// Package api checks the CRDs against a real API server: that it takes them, that they
// alone refuse what they should, and that both versions of the API show the same objects.
// Of gati-webhook there is the conversion handler, and neither admission nor controllers.
package api

import (
	"encoding/pem"
	"net/http/httptest"
	"os"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/webhook/conversion"
	"gati.dev/gati/test/support/apiserver"
)

// config and admin reach the API server that all tests of the package share.
var (
	config *rest.Config
	admin  client.Client
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	hook := httptest.NewTLSServer(conversion.NewHandler())
	defer hook.Close()
	return apiserver.Main(m, func(server *apiserver.Server) (err error) {
		config = server.Config
		admin, err = client.New(config, client.Options{})
		return err
	}, func(crd *apiextensionsv1.CustomResourceDefinition) { crd.Spec.Conversion = convertedBy(hook) })
}

// convertedBy returns the conversion of a kind by a conversion handler.
func convertedBy(hook *httptest.Server) *apiextensionsv1.CustomResourceConversion {
	url := hook.URL + conversion.Path
	return &apiextensionsv1.CustomResourceConversion{
		Strategy: apiextensionsv1.WebhookConverter,
		Webhook: &apiextensionsv1.WebhookConversion{
			ConversionReviewVersions: []string{"v1"},
			ClientConfig: &apiextensionsv1.WebhookClientConfig{
				URL:      &url,
				CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: hook.Certificate().Raw}),
			},
		},
	}
}

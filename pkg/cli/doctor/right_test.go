package doctor

import "testing"

func TestRightFor(t *testing.T) {
	for path, want := range map[string]string{
		"/apis": "get /apis",
		"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gatihandlers.gati.dev":     "get customresourcedefinitions.apiextensions.k8s.io",
		"/apis/gateway.networking.k8s.io/v1/gatewayclasses":                                 "list gatewayclasses.gateway.networking.k8s.io",
		"/apis/gateway.networking.k8s.io/v1/namespaces/shop/httproutes?labelSelector=a%3Db": "list httproutes.gateway.networking.k8s.io in namespace shop",
		"/api/v1/namespaces/gati-system/secrets/gati-webhook-ca":                            "get secrets in namespace gati-system",
		"/apis/apps/v1/namespaces/gati-system/deployments/gati-webhook":                     "get deployments.apps in namespace gati-system",
	} {
		if got := rightFor(path); got != want {
			t.Errorf("%s takes %q, want %q", path, got, want)
		}
	}
}

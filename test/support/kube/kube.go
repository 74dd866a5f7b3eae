// Package kube has the one scheme and the one client of the tests, and finds a version in a
// status. It must not know which cluster they are for.
package kube

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
)

// Scheme returns a scheme with all kinds that tests read or write.
func Scheme() *runtime.Scheme {
	s := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(s))
	utilruntime.Must(apiextensionsv1.AddToScheme(s))
	utilruntime.Must(gatewayv1.Install(s))
	utilruntime.Must(kedav1alpha1.AddToScheme(s))
	utilruntime.Must(v1.AddToScheme(s))
	return s
}

// Client returns a client without a cache, which prints no warnings.
func Client(config *rest.Config) (client.WithWatch, error) {
	config = rest.CopyConfig(config)
	config.QPS = -1
	config.WarningHandlerWithContext = rest.NoWarnings{}
	return client.NewWithWatch(config, client.Options{Scheme: Scheme()})
}

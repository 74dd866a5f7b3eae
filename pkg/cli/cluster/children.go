package cluster

import (
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gati.dev/gati/api/v1alpha1"
	"gati.dev/gati/pkg/cli/env"
	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
)

// ConnectChildren is Connect with a client that knows every kind of children, and
// the handlers, modules and versions of v1alpha1 without a type.
func ConnectChildren(e *env.Env) (client.Client, error) {
	config, err := configOf(e)
	if err != nil {
		return nil, err
	}
	return newClient(config, discoveryv1.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme, gatewayv1.Install, kedav1alpha1.AddToScheme)
}

// addChildren tells the mapper of the kinds of children.
func addChildren(m *meta.DefaultRESTMapper) {
	for _, kind := range []string{"GatiHandler", "GatiModule", "GatiVersion"} {
		m.Add(v1alpha1.GroupVersion.WithKind(kind), meta.RESTScopeNamespace)
	}
	m.Add(corev1.SchemeGroupVersion.WithKind("Service"), meta.RESTScopeNamespace)
	m.Add(corev1.SchemeGroupVersion.WithKind("ConfigMap"), meta.RESTScopeNamespace)
	m.Add(corev1.SchemeGroupVersion.WithKind("Namespace"), meta.RESTScopeRoot)
	m.Add(policyv1.SchemeGroupVersion.WithKind("PodDisruptionBudget"), meta.RESTScopeNamespace)
	m.Add(discoveryv1.SchemeGroupVersion.WithKind("EndpointSlice"), meta.RESTScopeNamespace)
	m.Add(schema.GroupVersionKind{Group: gatewayv1.GroupName, Version: gatewayv1.GroupVersion.Version, Kind: "HTTPRoute"}, meta.RESTScopeNamespace)
	m.Add(kedav1alpha1.GroupVersion.WithKind(kedav1alpha1.Kind), meta.RESTScopeNamespace)
	m.Add(networkingv1.SchemeGroupVersion.WithKind("NetworkPolicy"), meta.RESTScopeNamespace)
}

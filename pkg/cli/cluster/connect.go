package cluster

import (
	"context"
	"fmt"
	"os"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // kubeconfigs name these
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/api/v1alpha1"
	"gati.dev/gati/pkg/cli/env"
	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
)

// Connect returns a client for the server that the flags and the kubeconfig
// name. It sends nothing yet.
func Connect(e *env.Env) (client.WithWatch, error) {
	config, err := configOf(e)
	if err != nil {
		return nil, err
	}
	return New(config)
}

// configOf returns the way to the server, for the plugin alone.
func configOf(e *env.Env) (*rest.Config, error) {
	config, err := e.Config.ToRESTConfig()
	if err != nil {
		return nil, fmt.Errorf("kubeconfig: %w", err)
	}
	noticeSilence()
	config = rest.CopyConfig(config)
	config.UserAgent = "kubectl-gati/" + e.Version
	config.QPS = -1 // a command sends a handful of requests; the server has its own limits
	config.WarningHandler = rest.NewWarningWriter(e.Streams.ErrOut, rest.WarningWriterOptions{Deduplicate: true})
	return config, nil
}

// noticeSilence makes connections ping a server that was silent for 5 s, and close after 10
// s without an answer. With client-go's own 45 s a live view would be outdated. client-go
// has only these two settings for it; values of the user are kept.
func noticeSilence() {
	for name, seconds := range map[string]string{"HTTP2_READ_IDLE_TIMEOUT_SECONDS": "5", "HTTP2_PING_TIMEOUT_SECONDS": "10"} {
		if os.Getenv(name) == "" {
			_ = os.Setenv(name, seconds) // both are valid names
		}
	}
}

// New returns a client for the server of a configuration.
func New(config *rest.Config) (client.WithWatch, error) { return newClient(config) }

// newClient knows more kinds than each command speaks of.
func newClient(config *rest.Config, more ...func(*runtime.Scheme) error) (client.WithWatch, error) {
	scheme, err := newScheme(more...)
	if err != nil {
		return nil, err
	}
	return client.NewWithWatch(config, client.Options{Scheme: scheme, Mapper: newMapper()})
}

// newScheme registers only the kinds that commands speak of: registering all of
// Kubernetes costs more than the commands do.
func newScheme(more ...func(*runtime.Scheme) error) (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, add := range append([]func(*runtime.Scheme) error{
		v1.AddToScheme, corev1.AddToScheme, appsv1.AddToScheme, autoscalingv2.AddToScheme, authenticationv1.AddToScheme, authorizationv1.AddToScheme,
	}, more...) {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	return scheme, nil
}

// newMapper knows the resources by heart, so that none is looked up.
func newMapper() meta.RESTMapper {
	m := meta.NewDefaultRESTMapper(nil)
	for _, kind := range []string{"GatiHandler", "GatiModule", "GatiVersion"} {
		m.Add(v1.GroupVersion.WithKind(kind), meta.RESTScopeNamespace)
	}
	m.Add(appsv1.SchemeGroupVersion.WithKind("Deployment"), meta.RESTScopeNamespace)
	m.Add(appsv1.SchemeGroupVersion.WithKind("ControllerRevision"), meta.RESTScopeNamespace)
	m.Add(corev1.SchemeGroupVersion.WithKind("Pod"), meta.RESTScopeNamespace)
	m.Add(corev1.SchemeGroupVersion.WithKind("Event"), meta.RESTScopeNamespace)
	m.Add(autoscalingv2.SchemeGroupVersion.WithKind("HorizontalPodAutoscaler"), meta.RESTScopeNamespace)
	m.Add(authenticationv1.SchemeGroupVersion.WithKind("SelfSubjectReview"), meta.RESTScopeRoot)
	m.Add(authorizationv1.SchemeGroupVersion.WithKind("SelfSubjectAccessReview"), meta.RESTScopeRoot)
	addChildren(m)
	return m
}

// answerWithin is how long a command waits for the server when the user sets no
// --request-timeout: nothing may hang for ever.
const answerWithin = 30 * time.Second

// Bounded limits a one-shot read, unless --request-timeout does.
func Bounded(ctx context.Context, e *env.Env) (context.Context, context.CancelFunc) {
	if t := e.Config.Timeout; t != nil && *t != "" && *t != "0" {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, answerWithin)
}

// Patience is how long to do without a server that was there: as long as for one
// request.
func Patience(e *env.Env) time.Duration {
	if t := e.Config.Timeout; t != nil {
		if d, err := clientcmd.ParseTimeout(*t); err == nil && d > 0 {
			return d
		}
	}
	return answerWithin
}

// ConnectChildren is Connect with a client that knows every kind of children, and
// the handlers, modules and versions of v1alpha1 without a type.
func ConnectChildren(e *env.Env) (client.Client, error) {
	config, err := configOf(e)
	if err != nil {
		return nil, err
	}
	return newClient(config, discoveryv1.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme, gatewayv1.Install, kedav1alpha1.AddToScheme)
}

// addChildren adds the kinds of children to the mapper.
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

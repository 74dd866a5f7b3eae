// Package facts holds the properties of the cluster and of the operator's configuration
// as plain data. Resolving, validating and expanding depend on the object and on these
// facts alone. So webhook, controllers and plugin compute the same plan from the same
// facts.
//
// The package must not know how a fact is found.
package facts

import "time"

// Facts are the circumstances under which an object is expanded.
type Facts struct {
	// Namespace is the namespace of the object; it appears in remedies.
	Namespace string
	// NamespaceImage is the namespace's annotation gati.dev/image, empty when it
	// has none.
	NamespaceImage string
	// HTTPRouteServed is true when the cluster serves Gateway API's HTTPRoute.
	HTTPRouteServed bool
	// ScaledObjectServed is true when the cluster serves KEDA's ScaledObject.
	ScaledObjectServed bool
	// RequestRate is how KEDA reads the rate of requests.
	RequestRate RequestRate
	// ScrapeInterval is how often the operator's Prometheus reads the metrics that judge a
	// rollout; zero where Gati reads them itself.
	ScrapeInterval time.Duration
	// Targets are the targets that the operator allows, and NamespaceTarget is the
	// namespace's choice among them, if any.
	Targets         Targets
	NamespaceTarget string
	// RuntimeClasses maps the runtime of a wasm module to a RuntimeClass.
	RuntimeClasses map[string]string
}

// RequestRate describes how KEDA queries the operator's Prometheus. The zero value
// means that there is none.
type RequestRate struct {
	// Server is the address of the Prometheus.
	Server string
	// Query returns the rate of one workload and contains PlaceNamespace and PlacePods.
	Query string
	// Authentication names the ClusterTriggerAuthentication with the credentials, and
	// AuthModes is how they are sent, such as bearer; both are optional.
	Authentication, AuthModes string
}

// Placeholders of RequestRate.Query: the namespace, and a pattern of the names of pods.
const (
	PlaceNamespace = "{{namespace}}"
	PlacePods      = "{{pods}}"
)

// Package facts holds what the cluster and the operator's configuration say, as
// plain data. Resolving, validating and expanding an object depend on these
// facts and on nothing else outside the object, so the webhook, the controllers
// and the plugin come to the same plan from the same facts.
//
// The package must not know how a fact is found out.
package facts

// Facts are the circumstances under which an object is expanded.
type Facts struct {
	// Namespace is where the object lives; it appears in remedies.
	Namespace string
	// NamespaceImage is the namespace's annotation gati.dev/image, empty when it
	// has none.
	NamespaceImage string
	// HTTPRouteServed is true when the cluster serves Gateway API's HTTPRoute.
	HTTPRouteServed bool
	// ScaledObjectServed is true when the cluster serves KEDA's ScaledObject.
	ScaledObjectServed bool
	// RequestRate is where KEDA reads the rate of requests.
	RequestRate RequestRate
	// Targets is where the operator lets children go, and NamespaceTarget the
	// namespace's choice among them, empty when it has none.
	Targets         Targets
	NamespaceTarget string
	// RuntimeClasses maps the runtime of a wasm module to a RuntimeClass.
	RuntimeClasses map[string]string
}

// RequestRate is the operator's Prometheus as KEDA is to ask it. Its zero value is none.
type RequestRate struct {
	// Server is the address of the Prometheus.
	Server string
	// Query is the rate of one workload, with PlaceNamespace and PlacePods in it.
	Query string
	// Authentication names the ClusterTriggerAuthentication with the credentials, and
	// AuthModes how they are sent, such as bearer; empty for none.
	Authentication, AuthModes string
}

// Placeholders of RequestRate.Query: the namespace, and a pattern of the names of pods.
const (
	PlaceNamespace = "{{namespace}}"
	PlacePods      = "{{pods}}"
)

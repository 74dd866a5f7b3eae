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
	// RuntimeClasses maps the runtime of a wasm module to a RuntimeClass.
	RuntimeClasses map[string]string
}

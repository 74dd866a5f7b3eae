package facts

import "fmt"

// NotServedError means that the cluster lacks the API of a child that a spec asks for.
type NotServedError struct {
	// Kind is the kind of the child, with its article. Field is the field that needs it,
	// Install the software that brings the API.
	Kind, Field, Install string
}

func (e *NotServedError) Error() string {
	return fmt.Sprintf("%s asks for %s, which this cluster does not serve; install %s or remove %s", e.Field, e.Kind, e.Install, e.Field)
}

// Detail is the error behind the path of its field.
func (e *NotServedError) Detail() string {
	return fmt.Sprintf("this cluster does not serve %s; install %s or remove %s", e.Kind, e.Install, e.Field)
}

// Unserved returns why no child of a kind can be written, nil where its API is served.
func (f Facts) Unserved(kind string) *NotServedError {
	switch {
	case kind == "HTTPRoute" && !f.HTTPRouteServed:
		return &NotServedError{"an HTTPRoute", "spec.route", "the Gateway API"}
	case kind == "ScaledObject" && !f.ScaledObjectServed:
		return &NotServedError{"a ScaledObject", "spec.autoscaling.keda", "KEDA"}
	default:
		return nil
	}
}

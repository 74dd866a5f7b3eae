package v1

import (
	corev1 "k8s.io/api/core/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// The types of other projects that our specs embed bring static defaults of
// their own into our CRDs. They are repeated here for the same reason as ours:
// an object must look the same before and after the API server has seen it.

// SetDefaults fills in the static defaults that the API server would.
func (r *Route) SetDefaults() {
	for i := range r.ParentRefs {
		setDefault(&r.ParentRefs[i].Group, gatewayv1.GroupName)
		setDefault(&r.ParentRefs[i].Kind, "Gateway")
	}
	for i := range r.Filters {
		setFilterDefaults(&r.Filters[i])
	}
}

func setFilterDefaults(f *gatewayv1.HTTPRouteFilter) {
	if mirror := f.RequestMirror; mirror != nil {
		setBackendDefaults(&mirror.BackendRef)
		if mirror.Fraction != nil {
			setDefault(&mirror.Fraction.Denominator, 100)
		}
	}
	if f.RequestRedirect != nil {
		setDefault(&f.RequestRedirect.StatusCode, 302)
	}
	if f.CORS != nil && f.CORS.MaxAge == 0 {
		f.CORS.MaxAge = 5
	}
	if f.ExternalAuth != nil {
		setBackendDefaults(&f.ExternalAuth.BackendRef)
	}
}

func setBackendDefaults(ref *gatewayv1.BackendObjectReference) {
	setDefault(&ref.Group, "")
	setDefault(&ref.Kind, "Service")
}

func setEnvDefaults(env []corev1.EnvVar) {
	for i := range env {
		if from := env[i].ValueFrom; from != nil && from.FileKeyRef != nil {
			setDefault(&from.FileKeyRef.Optional, false)
		}
	}
}

package expand

import (
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/lazyregexp"
)

// route returns the HTTPRoute in front of a handler, with the front Service as
// its one backend.
func (w workload) route(spec *v1.GatiHandlerSpec, service string, port int32) *gatewayv1.HTTPRoute {
	group, kind := gatewayv1.Group(""), gatewayv1.Kind("Service")
	number, weight := port, int32(1)
	return &gatewayv1.HTTPRoute{
		TypeMeta:   metav1.TypeMeta{APIVersion: gatewayv1.GroupVersion.String(), Kind: "HTTPRoute"},
		ObjectMeta: w.owner.object(w.owner.child, nil),
		Spec: gatewayv1.HTTPRouteSpec{
			CommonRouteSpec: gatewayv1.CommonRouteSpec{ParentRefs: spec.Route.ParentRefs},
			Hostnames:       spec.Route.Hostnames,
			Rules: []gatewayv1.HTTPRouteRule{{
				Matches:  Matches(spec.Path, spec.Route.PathMatch, spec.Methods),
				Filters:  spec.Route.Filters,
				Timeouts: spec.Route.Timeouts,
				BackendRefs: []gatewayv1.HTTPBackendRef{{BackendRef: gatewayv1.BackendRef{
					BackendObjectReference: gatewayv1.BackendObjectReference{
						Group: &group, Kind: &kind, Name: gatewayv1.ObjectName(service), Port: &number,
					},
					Weight: &weight,
				}}},
			}},
		},
	}
}

// Matches returns what of the traffic belongs to a path and its methods: one
// match for each method, or one for all.
func Matches(path string, how v1.PathMatch, methods []v1.HTTPMethod) []gatewayv1.HTTPRouteMatch {
	pathMatch := PathMatch(path, how)
	if len(methods) == 0 {
		return []gatewayv1.HTTPRouteMatch{{Path: pathMatch}}
	}
	var out []gatewayv1.HTTPRouteMatch
	for _, m := range methods {
		method := gatewayv1.HTTPMethod(m)
		out = append(out, gatewayv1.HTTPRouteMatch{Path: pathMatch, Method: &method})
	}
	return out
}

var parameter = lazyregexp.New(`^(:[A-Za-z_][A-Za-z0-9_]*|\[[A-Za-z_][A-Za-z0-9_]*\])$`)

// PathMatch returns how a gateway recognises a path: Exact when it is static,
// PathPrefix before a trailing *, and otherwise as the user chose.
func PathMatch(path string, how v1.PathMatch) *gatewayv1.HTTPPathMatch {
	if how == "" {
		how = derivedMatch(path)
	}
	kind, value := gatewayv1.PathMatchType(how), path
	switch how {
	case v1.PathMatchPrefix:
		value = staticPrefix(path)
	case v1.PathMatchRegex:
		value = expression(path)
	}
	return &gatewayv1.HTTPPathMatch{Type: &kind, Value: &value}
}

// HasParameters tells whether a segment of the path stands for any text.
func HasParameters(path string) bool {
	for _, segment := range strings.Split(path, "/") {
		if parameter.MatchString(segment) {
			return true
		}
	}
	return false
}

func derivedMatch(path string) v1.PathMatch {
	switch {
	case HasParameters(path):
		return v1.PathMatchRegex
	case strings.HasSuffix(path, "*"):
		return v1.PathMatchPrefix
	default:
		return v1.PathMatchExact
	}
}

// staticPrefix is the path up to its first parameter or its *.
func staticPrefix(path string) string {
	var kept []string
	for _, segment := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		if segment == "*" || parameter.MatchString(segment) {
			break
		}
		kept = append(kept, segment)
	}
	return "/" + strings.Join(kept, "/")
}

// expression is the path as a regular expression that matches it whole.
func expression(path string) string {
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, segment := range segments {
		switch {
		case segment == "*":
			segments[i] = ".*"
		case parameter.MatchString(segment):
			segments[i] = "[^/]+"
		default:
			segments[i] = regexp.QuoteMeta(segment)
		}
	}
	return "^/" + strings.Join(segments, "/") + "$"
}

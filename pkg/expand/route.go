package expand

import (
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/lazyregexp"
	"gati.dev/gati/pkg/naming"
)

// versionHeader is the request header by which a caller asks for a version.
const versionHeader = gatewayv1.HTTPHeaderName("X-Gati-Version")

// route returns the HTTPRoute in front of a handler: one rule that shares the
// traffic out by weight, and one for each pinned version. It returns the versions
// that a route has no room to pin.
func (o owner) route(spec *v1.GatiHandlerSpec, serving []Serving, front string) (*gatewayv1.HTTPRoute, []string) {
	matches := Matches(spec.Path, spec.Route.PathMatch, spec.Methods)
	rule := func(matches []gatewayv1.HTTPRouteMatch, backends []gatewayv1.HTTPBackendRef) gatewayv1.HTTPRouteRule {
		return gatewayv1.HTTPRouteRule{
			Matches: matches, Filters: spec.Route.Filters, Timeouts: spec.Route.Timeouts, BackendRefs: backends,
		}
	}
	var shares []gatewayv1.HTTPBackendRef
	for _, s := range serving {
		if s.Weight > 0 {
			shares = append(shares, o.backend(s, len(serving), front, *spec.Port, s.Weight))
		}
	}
	rules := []gatewayv1.HTTPRouteRule{rule(matches, shares)}
	kept, unpinned := pinned(serving, len(matches))
	for _, s := range kept {
		rules = append(rules, rule(withHeader(matches, s.Pins), []gatewayv1.HTTPBackendRef{o.backend(s, len(serving), front, *spec.Port, 1)}))
	}
	return &gatewayv1.HTTPRoute{
		TypeMeta:   metav1.TypeMeta{APIVersion: gatewayv1.GroupVersion.String(), Kind: "HTTPRoute"},
		ObjectMeta: o.object(o.child, nil),
		Spec: gatewayv1.HTTPRouteSpec{
			CommonRouteSpec: gatewayv1.CommonRouteSpec{ParentRefs: spec.Route.ParentRefs},
			Hostnames:       spec.Route.Hostnames,
			Rules:           rules,
		},
	}, unpinned
}

// backend returns a workload as the gateway reaches it. A Service that has no
// endpoints yet would answer nobody, so main is reached through the front until
// its own has.
func (o owner) backend(s Serving, live int, front string, port, weight int32) gatewayv1.HTTPBackendRef {
	group, kind, number := gatewayv1.Group(""), gatewayv1.Kind("Service"), port
	name := naming.Workload(o.meta.Name, s.Workload)
	if !ownService(s, live) || front == s.Workload && !s.Reachable {
		name = naming.Handler(o.meta.Name)
	}
	return gatewayv1.HTTPBackendRef{BackendRef: gatewayv1.BackendRef{
		BackendObjectReference: gatewayv1.BackendObjectReference{
			Group: &group, Kind: &kind, Name: gatewayv1.ObjectName(name), Port: &number,
		},
		Weight: &weight,
	}}
}

// withHeader returns the matches for callers that ask for one of the values. The
// path and the method stay: in the Gateway API's order of precedence they outrank
// a header, so that a pin without them would lose to the rule for everybody.
func withHeader(matches []gatewayv1.HTTPRouteMatch, values []string) []gatewayv1.HTTPRouteMatch {
	exact := gatewayv1.HeaderMatchExact
	var out []gatewayv1.HTTPRouteMatch
	for _, value := range values {
		for _, m := range matches {
			pin := *m.DeepCopy()
			pin.Headers = []gatewayv1.HTTPHeaderMatch{{Type: &exact, Name: versionHeader, Value: value}}
			out = append(out, pin)
		}
	}
	return out
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

// HasParameters reports whether a segment of the path stands for any text.
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

package expand

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/lazyregexp"
	"gati.dev/gati/pkg/naming"
)

// versionHeader is the request header that selects a version.
const versionHeader = gatewayv1.HTTPHeaderName(v1.VersionHeader)

// versionQuery is the query parameter that selects a version where no header does.
const versionQuery = gatewayv1.HTTPHeaderName("version")

// newRoute returns the HTTPRoute of a handler: one rule that splits the traffic by
// weight, and one for each pinned version. Where a filter replaces the prefix of a match,
// the Gateway API allows one match a rule, so each match has its own. It also returns the
// versions and tags for whose pin there is no room.
func (o owner) newRoute(spec *v1.GatiHandlerSpec, serving []Workload, front string, port int32) (*gatewayv1.HTTPRoute, []string) {
	perRule, inAll := maxRuleMatches, maxRouteMatches
	if slices.ContainsFunc(spec.Route.Filters, ReplacesPrefix) {
		perRule, inAll = 1, maxRules
	}
	var rules []gatewayv1.HTTPRouteRule
	timeouts := inOneSpelling(spec.Route.Timeouts)
	addRules := func(matches []gatewayv1.HTTPRouteMatch, backends []gatewayv1.HTTPBackendRef) {
		for some := range slices.Chunk(matches, perRule) {
			rules = append(rules, gatewayv1.HTTPRouteRule{
				Matches: some, Filters: spec.Route.Filters, Timeouts: timeouts, BackendRefs: backends,
			})
		}
	}
	var shares []gatewayv1.HTTPBackendRef
	for _, s := range serving {
		if s.Weight > 0 {
			shares = append(shares, o.newBackend(s, len(serving), front, port, s.Weight))
		}
	}
	matches, pin, kept, unpinned := fitMatches(Matches(spec.Path, spec.Route.PathMatch, spec.Methods), serving, inAll)
	addRules(matches, shares)
	for _, s := range kept {
		addRules(pin(matches, s.Pins), []gatewayv1.HTTPBackendRef{o.newBackend(s, len(serving), front, port, 1)})
	}
	return &gatewayv1.HTTPRoute{
		TypeMeta:   metav1.TypeMeta{APIVersion: gatewayv1.GroupVersion.String(), Kind: "HTTPRoute"},
		ObjectMeta: o.objectMeta(o.child, nil),
		Spec: gatewayv1.HTTPRouteSpec{
			CommonRouteSpec: gatewayv1.CommonRouteSpec{ParentRefs: spec.Route.ParentRefs},
			Hostnames:       spec.Route.Hostnames,
			Rules:           rules,
		},
	}, unpinned
}

// ReplacesPrefix reports whether a filter replaces the prefix that its rule matches.
func ReplacesPrefix(f gatewayv1.HTTPRouteFilter) bool {
	return f.URLRewrite != nil && f.URLRewrite.Path != nil && f.URLRewrite.Path.ReplacePrefixMatch != nil
}

// newBackend returns the Service of a workload. A Service without endpoints would
// fail requests, so main is reached through the front Service until its own, which it gets
// only beside another workload, is reachable.
func (o owner) newBackend(s Workload, live int, front string, port, weight int32) gatewayv1.HTTPBackendRef {
	group, kind, number := gatewayv1.Group(""), gatewayv1.Kind("Service"), port
	name := naming.WorkloadService(o.meta.Name, s.Workload)
	if !hasOwnService(s, live) || s.Workload == v1.WorkloadMain && front == s.Workload && !s.Reachable {
		name = naming.HandlerChild(o.meta.Name)
	}
	return gatewayv1.HTTPBackendRef{BackendRef: gatewayv1.BackendRef{
		BackendObjectReference: gatewayv1.BackendObjectReference{
			Group: &group, Kind: &kind, Name: gatewayv1.ObjectName(name), Port: &number,
		},
		Weight: &weight,
	}}
}

// withVersion restricts the matches to requests with one of the values in the header, or as
// version in the query. A header ranks above the query, at pods as well.
func withVersion(matches []gatewayv1.HTTPRouteMatch, values []string) []gatewayv1.HTTPRouteMatch {
	exact := gatewayv1.QueryParamMatchExact
	out := withVersionHeader(matches, values)
	for _, value := range values {
		for _, m := range matches {
			pin := *m.DeepCopy()
			pin.QueryParams = []gatewayv1.HTTPQueryParamMatch{{Type: &exact, Name: versionQuery, Value: value}}
			out = append(out, pin)
		}
	}
	return out
}

// withVersionHeader restricts the matches to requests with one of the header's
// values. Path and method stay: the Gateway API ranks them above headers, so a pin
// without them would lose to the general rule.
func withVersionHeader(matches []gatewayv1.HTTPRouteMatch, values []string) []gatewayv1.HTTPRouteMatch {
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

// Matches returns the matches of a path and its methods: one per method, or one for
// all.
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

var parameterPattern = lazyregexp.New(`^(:[A-Za-z_][A-Za-z0-9_]*|\[[A-Za-z_][A-Za-z0-9_]*\])$`)

// PathMatch returns the gateway's match for a path: Exact if it is static,
// PathPrefix before a trailing *, and otherwise the user's choice.
func PathMatch(path string, how v1.PathMatch) *gatewayv1.HTTPPathMatch {
	if how == "" {
		how = defaultPathMatch(path)
	}
	kind, value := gatewayv1.PathMatchType(how), path
	switch how {
	case v1.PathMatchPrefix:
		value = staticPrefix(path)
	case v1.PathMatchRegex:
		value = regexFor(path)
	}
	return &gatewayv1.HTTPPathMatch{Type: &kind, Value: &value}
}

// HasPathParameters reports whether a segment of the path is a parameter.
func HasPathParameters(path string) bool {
	for _, segment := range strings.Split(path, "/") {
		if parameterPattern.MatchString(segment) {
			return true
		}
	}
	return false
}

func defaultPathMatch(path string) v1.PathMatch {
	switch {
	case HasPathParameters(path):
		return v1.PathMatchRegex
	case strings.HasSuffix(path, "*"):
		return v1.PathMatchPrefix
	default:
		return v1.PathMatchExact
	}
}

// staticPrefix returns the path up to its first parameter or *.
func staticPrefix(path string) string {
	var kept []string
	for _, segment := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		if segment == "*" || parameterPattern.MatchString(segment) {
			break
		}
		kept = append(kept, segment)
	}
	return "/" + strings.Join(kept, "/")
}

// regexFor returns a regular expression for the whole path.
func regexFor(path string) string {
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, segment := range segments {
		switch {
		case segment == "*":
			segments[i] = ".*"
		case parameterPattern.MatchString(segment):
			segments[i] = "[^/]+"
		default:
			segments[i] = regexp.QuoteMeta(segment)
		}
	}
	return "^/" + strings.Join(segments, "/") + "$"
}

// Limits of the Gateway API for one HTTPRoute.
const (
	maxRules        = 16
	maxRuleMatches  = 64
	maxRouteMatches = 128
)

// pinner restricts matches to requests for a version or one of its tags.
type pinner func(matches []gatewayv1.HTTPRouteMatch, values []string) []gatewayv1.HTTPRouteMatch

// fitMatches returns the general matches of a route, its pins, and what has no room for one. A
// pin by the header is worth more than one by the query, or than a slash at the end of a path.
func fitMatches(declared []gatewayv1.HTTPRouteMatch, serving []Workload, inAll int) (matches []gatewayv1.HTTPRouteMatch, pin pinner, kept []Workload, unpinned []string) {
	matches = withSlash(declared)
	if kept, unpinned = choosePins(serving, len(matches), 2*len(matches), inAll); len(unpinned) == 0 {
		return matches, withVersion, kept, nil
	}
	if kept, unpinned = choosePins(serving, len(matches), len(matches), inAll); len(unpinned) == 0 {
		return matches, withVersionHeader, kept, nil
	}
	kept, unpinned = choosePins(serving, len(declared), len(declared), inAll)
	return declared, withVersionHeader, kept, unpinned
}

// choosePins returns the workloads that get a rule of their own, and the versions and
// tags that get none. If there are too many, the oldest without a tag lose theirs first,
// then the oldest. general is how many matches requests without a version need, perValue how
// many one value of a pin does, inAll how many the route may have.
func choosePins(serving []Workload, general, perValue, inAll int) (kept []Workload, unpinned []string) {
	wanted := slices.DeleteFunc(slices.Clone(serving), func(s Workload) bool { return len(s.Pins) == 0 })
	slices.SortStableFunc(wanted, func(a, b Workload) int {
		return cmp.Or(-cmp.Compare(pinRank(a), pinRank(b)), -cmp.Compare(a.Revision.Sequence, b.Revision.Sequence), -cmp.Compare(a.Revision.Number, b.Revision.Number))
	})
	left := inAll - general
	for _, s := range wanted {
		values := min(len(s.Pins), maxRuleMatches/perValue, left/perValue)
		if len(kept) == maxRules-1 || values == 0 {
			unpinned = append(unpinned, s.Revision.Version)
			continue
		}
		left -= values * perValue
		unpinned = append(unpinned, s.Pins[values:]...)
		s.Pins = s.Pins[:values]
		kept = append(kept, s)
	}
	slices.SortStableFunc(kept, func(a, b Workload) int { return cmp.Compare(a.Revision.Sequence, b.Revision.Sequence) })
	return kept, unpinned
}

func pinRank(s Workload) int { return min(len(s.Pins), 2) }

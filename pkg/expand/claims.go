package expand

import (
	"cmp"
	"strconv"

	"k8s.io/utils/ptr"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
)

// Claim is a part of a gateway's traffic that a handler's route matches. Two
// handlers with a common claim would receive each other's requests.
type Claim struct {
	// Parent is the Gateway, such as Gateway shop/public, with listener and port if
	// the route names them.
	Parent string
	// Host is empty for all hosts of the Gateway.
	Host string
	// Match is the path in the gateway's form, such as Exact /users.
	Match string
	// Method is empty for all methods.
	Method string
}

// String describes the claim for messages; it is equal for equal claims only.
func (c Claim) String() string {
	return cmp.Or(c.Method, "all methods") + " of " + c.Match + " on " + cmp.Or(c.Host, "any host") + " at " + c.Parent
}

// Claims returns the claims of a handler's route, none without a route.
func Claims(namespace string, spec *v1.GatiHandlerSpec) []Claim {
	if spec.Route == nil {
		return nil
	}
	matches := Matches(spec.Path, spec.Route.PathMatch, spec.Methods)
	var out []Claim
	for _, parent := range spec.Route.ParentRefs {
		out = append(out, claimsAt(formatParent(namespace, parent), spec.Route.Hostnames, matches)...)
	}
	return out
}

// LiveClaims returns the claims of a route in the cluster at one of its parents. Matches
// of a header or a query only narrow the others.
func LiveClaims(route *gatewayv1.HTTPRoute, parent gatewayv1.ParentReference) []Claim {
	var matches []gatewayv1.HTTPRouteMatch
	for _, rule := range route.Spec.Rules {
		for _, m := range rule.Matches {
			if len(m.Headers) == 0 && len(m.QueryParams) == 0 {
				matches = append(matches, m)
			}
		}
	}
	return claimsAt(formatParent(route.Namespace, parent), route.Spec.Hostnames, withoutSlash(matches))
}

func claimsAt(parent string, hosts []gatewayv1.Hostname, matches []gatewayv1.HTTPRouteMatch) []Claim {
	if len(hosts) == 0 {
		hosts = []gatewayv1.Hostname{""}
	}
	var out []Claim
	for _, host := range hosts {
		for _, m := range matches {
			if m.Path == nil {
				continue // None of ours.
			}
			claim := Claim{Parent: parent, Host: string(host), Match: string(ptr.Deref(m.Path.Type, "")) + " " + ptr.Deref(m.Path.Value, "")}
			claim.Method = string(ptr.Deref(m.Method, ""))
			out = append(out, claim)
		}
	}
	return out
}

func formatParent(namespace string, p gatewayv1.ParentReference) string {
	kind := "Gateway"
	if p.Kind != nil {
		kind = string(*p.Kind)
	}
	if p.Namespace != nil {
		namespace = string(*p.Namespace)
	}
	out := kind + " " + namespace + "/" + string(p.Name)
	if p.SectionName != nil {
		out += ", listener " + string(*p.SectionName)
	}
	if p.Port != nil {
		out += ", port " + strconv.Itoa(int(*p.Port))
	}
	return out
}

package expand

import (
	"cmp"
	"strconv"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
)

// Claim is a part of a gateway's traffic that a handler's route asks for. Two
// handlers with one in common would take each other's requests.
type Claim struct {
	// Parent is the Gateway, such as Gateway shop/public, with listener and port
	// where the route names them.
	Parent string
	// Host is empty for all of the Gateway's.
	Host string
	// Match is the path as the gateway compares it, such as Exact /users.
	Match string
	// Method is empty for all.
	Method string
}

// String names the claim for people, and is equal for equal claims only.
func (c Claim) String() string {
	return cmp.Or(c.Method, "all methods") + " of " + c.Match + " on " + cmp.Or(c.Host, "any host") + " at " + c.Parent
}

// Claims returns what a handler's route asks for. It is empty without one.
func Claims(namespace string, spec *v1.GatiHandlerSpec) []Claim {
	if spec.Route == nil {
		return nil
	}
	hosts := spec.Route.Hostnames
	if len(hosts) == 0 {
		hosts = []gatewayv1.Hostname{""}
	}
	var out []Claim
	for _, parent := range spec.Route.ParentRefs {
		for _, host := range hosts {
			for _, m := range Matches(spec.Path, spec.Route.PathMatch, spec.Methods) {
				claim := Claim{Parent: parentText(namespace, parent), Host: string(host), Match: string(*m.Path.Type) + " " + *m.Path.Value}
				if m.Method != nil {
					claim.Method = string(*m.Method)
				}
				out = append(out, claim)
			}
		}
	}
	return out
}

func parentText(namespace string, p gatewayv1.ParentReference) string {
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

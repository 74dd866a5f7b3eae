// Package routes makes handlers with every combination of filters, matches and parents,
// and the HTTPRoutes that are planned for them in the course of their life.
//
// It is for tests alone. It must not know which of the combinations are valid: the
// Gateway API says that.
package routes

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/random"
)

// Handlers returns handlers with each list of up to two filters on each path and match.
// Methods, parents, host names and timeouts differ by the seed of package random.
func Handlers(t testing.TB) []*v1.GatiHandler {
	t.Helper()
	dice := dice{random.New(t)}
	var out []*v1.GatiHandler
	for _, filters := range lists() {
		for _, path := range paths {
			for _, how := range []v1.PathMatch{"", v1.PathMatchExact, v1.PathMatchPrefix, v1.PathMatchRegex} {
				h := builders.MakeHandler("users").Image("app:v1").Path(path).Methods(pick(dice, methods)...).Obj()
				h.Spec.Route = &v1.Route{
					ParentRefs: pick(dice, parents), Hostnames: pick(dice, hostnames), PathMatch: how,
					Filters: filters, Timeouts: pick(dice, timeouts),
				}
				out = append(out, h.DeepCopy())
			}
		}
	}
	return out
}

// AsksForMatch reports whether one of the errors is about a match that the Gateway API
// accepts and that would not match the path.
func AsksForMatch(errs field.ErrorList) bool {
	return slices.ContainsFunc(errs, func(e *field.Error) bool { return strings.HasPrefix(e.Field, "spec.route.pathMatch") })
}

// Describe returns the spec of a handler in one line.
func Describe(t testing.TB, h *v1.GatiHandler) string {
	t.Helper()
	raw, err := json.Marshal(h.Spec)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

type dice struct{ source *random.Source }

func pick[T any](d dice, of []T) T {
	var n uint32
	d.source.Fill(&n)
	return of[int(n)%len(of)]
}

// lists returns no filter, each filter, and each pair of filters.
func lists() [][]gatewayv1.HTTPRouteFilter {
	out := [][]gatewayv1.HTTPRouteFilter{nil}
	for i, a := range filters {
		out = append(out, []gatewayv1.HTTPRouteFilter{a})
		for _, b := range filters[i:] {
			out = append(out, []gatewayv1.HTTPRouteFilter{a, b})
		}
	}
	return out
}

var (
	// The last path is as long as a path may be, and twice as long as an expression.
	paths     = []string{"/a", "/files/*", "/users/:id", "/:id/x/*", "/" + strings.Repeat(".", 511)}
	methods   = [][]v1.HTTPMethod{nil, {"GET"}, {"GET", "POST"}, {"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"}}
	hostnames = [][]gatewayv1.Hostname{nil, {"example.com"}, {"a.example.com", "*.example.org"}}
	timeouts  = []*gatewayv1.HTTPRouteTimeouts{
		nil, {Request: ptr.To(gatewayv1.Duration("10s"))},
		{Request: ptr.To(gatewayv1.Duration("0s")), BackendRequest: ptr.To(gatewayv1.Duration("1s"))},
	}

	headers = &gatewayv1.HTTPHeaderFilter{Set: []gatewayv1.HTTPHeader{{Name: "X-A", Value: "1"}}}
	prefix  = &gatewayv1.HTTPPathModifier{Type: gatewayv1.PrefixMatchHTTPPathModifier, ReplacePrefixMatch: ptr.To("/b")}
	full    = &gatewayv1.HTTPPathModifier{Type: gatewayv1.FullPathHTTPPathModifier, ReplaceFullPath: ptr.To("/b")}
	filters = []gatewayv1.HTTPRouteFilter{
		{Type: gatewayv1.HTTPRouteFilterRequestHeaderModifier, RequestHeaderModifier: headers},
		{Type: gatewayv1.HTTPRouteFilterResponseHeaderModifier, ResponseHeaderModifier: headers},
		{Type: gatewayv1.HTTPRouteFilterRequestMirror, RequestMirror: &gatewayv1.HTTPRequestMirrorFilter{
			BackendRef: gatewayv1.BackendObjectReference{Name: "mirror", Port: ptr.To(gatewayv1.PortNumber(80))},
		}},
		{Type: gatewayv1.HTTPRouteFilterRequestRedirect, RequestRedirect: &gatewayv1.HTTPRequestRedirectFilter{Scheme: ptr.To("https")}},
		{Type: gatewayv1.HTTPRouteFilterRequestRedirect, RequestRedirect: &gatewayv1.HTTPRequestRedirectFilter{Path: prefix}},
		{Type: gatewayv1.HTTPRouteFilterURLRewrite, URLRewrite: &gatewayv1.HTTPURLRewriteFilter{Path: prefix}},
		{Type: gatewayv1.HTTPRouteFilterURLRewrite, URLRewrite: &gatewayv1.HTTPURLRewriteFilter{Path: full}},
		{Type: gatewayv1.HTTPRouteFilterURLRewrite, URLRewrite: &gatewayv1.HTTPURLRewriteFilter{Hostname: ptr.To(gatewayv1.PreciseHostname("b.example.com"))}},
		{Type: gatewayv1.HTTPRouteFilterExtensionRef, ExtensionRef: &gatewayv1.LocalObjectReference{Group: "example.com", Kind: "Limit", Name: "a"}},
		{Type: gatewayv1.HTTPRouteFilterCORS, CORS: &gatewayv1.HTTPCORSFilter{AllowOrigins: []gatewayv1.CORSOrigin{"https://example.com"}}},
	}
)

// parents are lists of parentRefs that share some or all of the fields that identify them.
var parents = [][]gatewayv1.ParentReference{
	{{Name: "web"}},
	{{Name: "web"}, {Name: "internal"}},
	{{Name: "web"}, {Name: "web"}},
	{{Name: "web"}, {Name: "web", SectionName: section("a")}},
	{{Name: "web", SectionName: section("a")}, {Name: "web", SectionName: section("b")}},
	{{Name: "web", SectionName: section("a")}, {Name: "web", SectionName: section("a")}},
	{{Name: "web", SectionName: section("a")}, {Name: "web", SectionName: section("a"), Port: ptr.To(gatewayv1.PortNumber(80))}},
	{{Name: "web", Port: ptr.To(gatewayv1.PortNumber(80))}, {Name: "web", Port: ptr.To(gatewayv1.PortNumber(443))}},
	{{Name: "web"}, {Name: "web", Namespace: ptr.To(gatewayv1.Namespace("shared"))}},
	{{Name: "web", Namespace: ptr.To(gatewayv1.Namespace("shared"))}, {Name: "web", Namespace: ptr.To(gatewayv1.Namespace("shared"))}},
	{{Name: "web"}, {Name: "web", Group: ptr.To(gatewayv1.Group(gatewayv1.GroupName)), Kind: ptr.To(gatewayv1.Kind("Gateway"))}},
	{{Name: "web"}, {Name: "web", Group: ptr.To(gatewayv1.Group("")), Kind: ptr.To(gatewayv1.Kind("Service"))}},
	{{Name: "web"}, {Name: "web", Kind: ptr.To(gatewayv1.Kind("ListenerSet"))}},
}

func section(name gatewayv1.SectionName) *gatewayv1.SectionName { return &name }

package expand_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/rollout"
)

// Only equal match, host and parent make two handlers rivals: everything else the
// gateway can tell apart.
func TestClaims(t *testing.T) {
	at := func(path string) *builders.Handler { return builders.MakeHandler("a").Path(path).Gateway("public") }
	tests := map[string]struct {
		a, b *builders.Handler
		want bool
	}{
		"the same":                {at("/users"), at("/users"), true},
		"another path":            {at("/users"), at("/orders"), false},
		"another parameter name":  {at("/users/:id"), at("/users/[user]"), true},
		"exact and prefix":        {at("/users"), at("/users/*"), false},
		"other methods":           {at("/u").Methods("GET"), at("/u").Methods("POST"), false},
		"one method in common":    {at("/u").Methods("GET", "PUT"), at("/u").Methods("PUT"), true},
		"all methods and one":     {at("/u"), at("/u").Methods("GET"), false},
		"another host":            {at("/u").Hostname("a.example"), at("/u").Hostname("b.example"), false},
		"one host in common":      {at("/u").Hostname("a.example").Hostname("c.example"), at("/u").Hostname("c.example"), true},
		"another Gateway":         {at("/u"), builders.MakeHandler("a").Path("/u").Gateway("private"), false},
		"one Gateway in common":   {at("/u").Gateway("private"), builders.MakeHandler("a").Path("/u").Gateway("private"), true},
		"its own namespace's":     {at("/u"), at("/u").Namespace("other"), false},
		"a Gateway of both":       {builders.MakeHandler("a").Path("/u").GatewayIn("infra", "gw"), builders.MakeHandler("a").Namespace("other").Path("/u").GatewayIn("infra", "gw"), true},
		"without a route nothing": {builders.MakeHandler("a").Path("/u"), builders.MakeHandler("b").Path("/u"), false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a, b := tc.a.Obj(), tc.b.Obj()
			theirs := expand.Claims(b.Namespace, &b.Spec)
			got := slices.ContainsFunc(expand.Claims(a.Namespace, &a.Spec), func(c expand.Claim) bool { return slices.Contains(theirs, c) })
			if got != tc.want {
				t.Errorf("rivals: %v, want %v", got, tc.want)
			}
		})
	}
	claim := expand.Claims("shop", &at("/users/:id").Methods("GET").Hostname("a.example").Obj().Spec)[0]
	if got, want := claim.String(), "GET of RegularExpression ^/users/[^/]+$ on a.example at Gateway shop/public"; got != want {
		t.Errorf("said as %q, want %q", got, want)
	}
}

// The claims of a live route are those of the spec that it was expanded from, also where
// each match has a rule of its own.
func TestLiveClaims(t *testing.T) {
	h := builders.MakeHandler("a").Image("app:v1").Path("/users/:id").PathMatch(v1.PathMatchPrefix).Methods("GET", "PUT").
		Gateway("public").GatewayIn("infra", "gw").Hostname("a.example").Hostname("b.example").Default().Obj()
	serving := []expand.Workload{{WorkloadPlan: rollout.WorkloadPlan{Workload: v1.WorkloadMain, Weight: 100, Replicas: 1}, Pins: []string{"v1", "blue"}}}
	rewrite := gatewayv1.HTTPRouteFilter{Type: gatewayv1.HTTPRouteFilterURLRewrite, URLRewrite: &gatewayv1.HTTPURLRewriteFilter{
		Path: &gatewayv1.HTTPPathModifier{Type: gatewayv1.PrefixMatchHTTPPathModifier, ReplacePrefixMatch: new(string)},
	}}
	for rules, filters := range map[int][]gatewayv1.HTTPRouteFilter{2: nil, 10: {rewrite}} {
		h.Spec.Route.Filters = filters
		resolved, _ := defaulting.ResolveHandler(&h.Spec, facts.Facts{})
		plan := expand.Handler(h, resolved, serving, v1.WorkloadMain, nil, []int32{3000})
		at := slices.IndexFunc(plan.Objects, func(obj client.Object) bool { _, is := obj.(*gatewayv1.HTTPRoute); return is })
		route := plan.Objects[at].(*gatewayv1.HTTPRoute)
		var live []expand.Claim
		for _, parent := range route.Spec.ParentRefs {
			live = append(live, expand.LiveClaims(route, parent)...)
		}
		if diff := cmp.Diff(expand.Claims(h.Namespace, &h.Spec), live); diff != "" || len(live) != 8 || len(route.Spec.Rules) != rules {
			t.Errorf("%d rules, %d claims (-spec +route):\n%s", len(route.Spec.Rules), len(live), diff)
		}
	}
}

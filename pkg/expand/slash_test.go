package expand_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/expand"
)

// TestRoutesOfAPathAndAVersion holds that a path with a slash at its end is the same route,
// and that a version in the query chooses as one in the header does. Claims are as declared.
func TestRoutesOfAPathAndAVersion(t *testing.T) {
	for path, want := range map[string][2][]string{
		"/users":     {{"Exact /users", "Exact /users/"}, {"Exact /users header", "Exact /users/ header", "Exact /users query", "Exact /users/ query"}},
		"/users/":    {{"Exact /users/"}, {"Exact /users/ header", "Exact /users/ query"}},
		"/":          {{"Exact /"}, {"Exact / header", "Exact / query"}},
		"/users/*":   {{"PathPrefix /users"}, {"PathPrefix /users header", "PathPrefix /users query"}},
		"/users/:id": {{"RegularExpression ^/users/[^/]+/?$"}, {"RegularExpression ^/users/[^/]+/?$ header", "RegularExpression ^/users/[^/]+/?$ query"}},
		"/:a/*":      {{"RegularExpression ^/[^/]+/.*$"}, {"RegularExpression ^/[^/]+/.*$ header", "RegularExpression ^/[^/]+/.*$ query"}},
		"/:a/":       {{"RegularExpression ^/[^/]+/$"}, {"RegularExpression ^/[^/]+/$ header", "RegularExpression ^/[^/]+/$ query"}},
	} {
		t.Run(path, func(t *testing.T) {
			h := builders.MakeHandler("users").Path(path).Gateway("gw").Obj()
			route := find[*gatewayv1.HTTPRoute](t, serve(t, h, "v1", versions(1)...))
			for i, rule := range route.Spec.Rules {
				var got []string
				for _, m := range rule.Matches {
					text := fmt.Sprintf("%s %s", *m.Path.Type, *m.Path.Value)
					if len(m.Headers) > 0 && m.Headers[0].Name == "X-Gati-Version" && m.Headers[0].Value == "v1" {
						text += " header"
					}
					if len(m.QueryParams) > 0 && m.QueryParams[0].Name == "version" && m.QueryParams[0].Value == "v1" {
						text += " query"
					}
					got = append(got, text)
				}
				if diff := cmp.Diff(want[i], got); diff != "" {
					t.Errorf("rule %d (-want +got):\n%s", i, diff)
				}
			}
			if live := expand.LiveClaims(route, route.Spec.ParentRefs[0]); !slices.Equal(live, expand.Claims(h.Namespace, &h.Spec)) {
				t.Errorf("claims of the route are %v", live)
			}
		})
	}
}

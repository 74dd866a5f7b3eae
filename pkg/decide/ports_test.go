package decide_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/decide"
)

// A caller of an earlier port is not affected by a change of spec.port, whatever
// becomes of the rollout.
func TestPortChangeKeepsCallers(t *testing.T) {
	const before = "handler-users: http 3000→http"
	for name, tc := range map[string]struct {
		h    *v1.GatiHandler
		want []string
	}{
		"RollingUpdate": {
			builders.MakeHandler("users").Namespace("shop").Path("/users").Image("app:v1.0.0").Gateway("web").Obj(),
			[]string{"handler-users: http 3000→http, http-8080 8080→http"},
		},
		"Canary": {canary(), []string{
			"handler-users--v1-0-0: http 3000→http, http-8080 8080→http",
			"handler-users--v2-0-0: http 3000→http, http-8080 8080→http",
			"handler-users: http 3000→http, http-8080 8080→http",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLife(t, tc.h)
			if got := services(l.apply(nil)); !slices.Contains(got, before) {
				t.Fatalf("Services %q, want %q", got, before)
			}
			plan := l.apply(func(s *v1.GatiHandlerSpec) { s.Image, s.Port = "app:v2.0.0", new(int32(8080)) })
			if got := services(plan); !slices.Equal(got, tc.want) {
				t.Errorf("Services %q, want %q", got, tc.want)
			}
			if got := backendPorts(plan); !slices.Equal(got, []int32{3000}) {
				t.Errorf("the route uses ports %v, want 3000 as before", got)
			}
		})
	}
}

// services returns the Services of a plan with their ports.
func services(p decide.Planned) []string {
	var out []string
	for _, child := range p.Children {
		if s, ok := child.(*corev1.Service); ok {
			var ports []string
			for _, port := range s.Spec.Ports {
				ports = append(ports, fmt.Sprintf("%s %d→%s", port.Name, port.Port, port.TargetPort.String()))
			}
			out = append(out, s.Name+": "+strings.Join(ports, ", "))
		}
	}
	slices.Sort(out)
	return out
}

// backendPorts returns the ports of Services that the route uses.
func backendPorts(p decide.Planned) []int32 {
	var out []int32
	for _, child := range p.Children {
		if route, ok := child.(*gatewayv1.HTTPRoute); ok {
			for _, rule := range route.Spec.Rules {
				for _, b := range rule.BackendRefs {
					out = append(out, *b.Port)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

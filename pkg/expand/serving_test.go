package expand_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/rollout"
)

// TestGoldenServing shows the whole plan of handlers in the middle of a rollout.
func TestGoldenServing(t *testing.T) {
	canary := func() *builders.Handler {
		return builders.MakeHandler("users").UID("u1").Path("/users/list").Replicas(10).Gateway("gw").Strategy(v1.StrategyCanary)
	}
	tests := map[string]struct {
		handler *builders.Handler
		front   string
		serving []expand.Workload
	}{
		"canary-at-half": {canary(), "v1", []expand.Workload{
			share("v1", "v1", 10, 50), share("v2", "v2", 5, 50),
		}},
		"canary-beside-main": {canary(), v1.WorkloadMain, []expand.Workload{
			share("v1", v1.WorkloadMain, 10, 90), share("v2", "v2", 1, 10),
		}},
		"canary-autoscaled": {canary().Autoscale(4, 20), "v2", []expand.Workload{
			share("v1", "v1", 10, 0), share("v2", "v2", 10, 100),
		}},
		"canary-without-gateway": {canary().Spec(func(s *v1.GatiHandlerSpec) { s.Route = nil }), "", []expand.Workload{
			share("v1", "v1", 9, 90), share("v2", "v2", 1, 10), share("v3", "v3", 0, 0),
		}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			golden(t, "serving-"+name, text(t, serve(t, tc.handler.Obj(), tc.front, tc.serving...).Objects))
		})
	}
}

// While main's own Service has no endpoints the gateway is sent to the front,
// which has the same pods.
func TestNoBackendWithoutEndpoints(t *testing.T) {
	tests := map[string]struct {
		front     string
		reachable bool
		want      string
	}{
		"not there yet":        {v1.WorkloadMain, false, "handler-users"},
		"has endpoints":        {v1.WorkloadMain, true, "handler-users--main"},
		"the front is another": {"v2", false, "handler-users--main"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			old := share("v1", v1.WorkloadMain, 1, 60)
			old.Reachable = tc.reachable
			p := serve(t, builders.MakeHandler("users").Gateway("gw").Obj(), tc.front, old, share("v2", "v2", 1, 40))
			refs := find[*gatewayv1.HTTPRoute](t, p).Spec.Rules[0].BackendRefs
			if string(refs[0].Name) != tc.want || string(refs[1].Name) != "handler-users--v2" {
				t.Errorf("backends %s and %s", refs[0].Name, refs[1].Name)
			}
		})
	}
}

// TestAFirstVersionKeepsItsBackend holds that the route of a new handler, whose workload has a
// Service of its own from the start, is not written again once that has endpoints: the gateway
// would lag behind each time.
func TestAFirstVersionKeepsItsBackend(t *testing.T) {
	for _, reachable := range []bool{false, true} {
		first := share("v1", "v1", 1, 100)
		first.Reachable = reachable
		p := serve(t, builders.MakeHandler("users").Gateway("gw").Obj(), "v1", first)
		if refs := find[*gatewayv1.HTTPRoute](t, p).Spec.Rules[0].BackendRefs; string(refs[0].Name) != "handler-users--v1" {
			t.Errorf("reachable: %t, backend %s", reachable, refs[0].Name)
		}
	}
}

// A route holds 16 rules, 64 matches a rule and 128 in all. A filter that replaces the
// prefix allows one match a rule.
func TestPinsWithinTheLimits(t *testing.T) {
	prefix := []gatewayv1.HTTPRouteFilter{{Type: gatewayv1.HTTPRouteFilterURLRewrite, URLRewrite: &gatewayv1.HTTPURLRewriteFilter{
		Path: &gatewayv1.HTTPPathModifier{Type: gatewayv1.PrefixMatchHTTPPathModifier, ReplacePrefixMatch: new(string)},
	}}}
	nine := []v1.HTTPMethod{"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"}
	tests := map[string]struct {
		methods []v1.HTTPMethod
		filters []gatewayv1.HTTPRouteFilter
		serving []expand.Workload

		wantRules    int
		wantUnpinned []string
	}{
		"as many as fit": {nil, nil, versions(15), 16, nil},
		"the oldest go":  {nil, nil, versions(20), 16, []string{"v5", "v4", "v3", "v2", "v1"}},
		"tagged ones stay": {nil, nil, append(tagged(versions(3), "stable"), versions(18)[3:]...), 16,
			[]string{"v6", "v5", "v4"}},
		"matches in all":              {nine, nil, versions(15), 14, []string{"v2", "v1"}},
		"matches of a rule":           {nine, nil, tagged(versions(1), "a", "b", "c", "d", "e", "f", "g", "h"), 2, []string{"g", "h"}},
		"prefix, one match a version": {nil, prefix, versions(15), 16, nil},
		"prefix, tags":                {nil, prefix, tagged(versions(2), "a", "b"), 13, nil},
		"prefix, methods and tags":    {nine[:2], prefix, tagged(versions(2), "a", "b", "c"), 16, []string{"c"}},
		"prefix, all methods":         {nine, prefix, versions(1), 9, []string{"v1"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			h := builders.MakeHandler("users").Path("/u").Gateway("gw").Obj()
			if tc.filters != nil {
				h.Spec.Path = "/u/*"
			}
			h.Spec.Methods, h.Spec.Route.Filters = tc.methods, tc.filters
			p := serve(t, h, "v1", tc.serving...)
			rules := find[*gatewayv1.HTTPRoute](t, p).Spec.Rules
			if diff := cmp.Diff(tc.wantUnpinned, p.Unpinned); diff != "" || len(rules) != tc.wantRules {
				t.Errorf("%d rules, unpinned (-want +got):\n%s", len(rules), diff)
			}
			var all int
			for _, r := range rules {
				all += len(r.Matches)
				if len(r.Matches) > 64 || tc.filters != nil && len(r.Matches) != 1 {
					t.Errorf("a rule has %d matches", len(r.Matches))
				}
			}
			if all > 128 {
				t.Errorf("%d matches in all", all)
			}
		})
	}
}

// Under an autoscaler each workload has bounds of its own; one without pods has no
// autoscaler, and one that is held cannot move.
func TestScaleOfEachWorkload(t *testing.T) {
	old, held, none := share("v1", "v1", 8, 50), share("v2", "v2", 3, 50), share("v3", "v3", 0, 0)
	old.Replicas, old.Initial, held.Exact = 5, 8, true
	p := serve(t, builders.MakeHandler("users").Replicas(4).Autoscale(2, 6).Obj(), "", old, held, none)
	got := map[string]string{}
	for _, o := range p.Objects {
		switch o := o.(type) {
		case *autoscalingv2.HorizontalPodAutoscaler:
			got[o.Name] = fmt.Sprintf("%d to %d", *o.Spec.MinReplicas, o.Spec.MaxReplicas)
		case *appsv1.Deployment:
			got[o.Name] += fmt.Sprintf(", from %d", *o.Spec.Replicas)
		}
	}
	want := map[string]string{
		"handler-users--v1": "5 to 6, from 8", "handler-users--v2": "3 to 3, from 3", "handler-users--v3": ", from 0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// No two workloads select each other's pods, and only the front may select many.
func TestWorkloadsDoNotOverlap(t *testing.T) {
	p := serve(t, builders.MakeHandler("users").Obj(), "v2", share("v1", v1.WorkloadMain, 1, 0), share("v2", "v2", 1, 100))
	var selected []string
	for _, o := range p.Objects {
		if s, ok := o.(*corev1.Service); ok {
			selected = append(selected, s.Name+"→"+s.Spec.Selector[v1.LabelWorkload])
		}
	}
	if want := []string{"handler-users--main→main", "handler-users--v2→v2", "handler-users→v2"}; !slices.Equal(selected, want) {
		t.Errorf("Services select %v, want %v", selected, want)
	}
}

func serve(t *testing.T, h *v1.GatiHandler, front string, serving ...expand.Workload) expand.Plan {
	t.Helper()
	return serveAt(t, h, front, []int32{v1.DefaultHandlerPort}, serving...)
}

// serveAt expands a handler whose Services have the given ports.
func serveAt(t *testing.T, h *v1.GatiHandler, front string, ports []int32, serving ...expand.Workload) expand.Plan {
	t.Helper()
	resolved, errs := defaulting.ResolveHandler(&h.Spec, cluster)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	for i := range serving {
		declared := h.DeepCopy()
		declared.Spec.Version = v1.VersionID(serving[i].Revision.Version)
		of, _ := defaulting.ResolveHandler(&declared.Spec, cluster)
		sequence := serving[i].Revision.Sequence
		serving[i].Revision = expand.NewHandlerRevision(declared, of, expand.HandlerInputs(&declared.Spec, cluster), sequence, nil)
	}
	return expand.Handler(h, resolved, serving, front, nil, ports)
}

func share(version, workload string, replicas, weight int32) expand.Workload {
	var sequence int64
	_, _ = fmt.Sscanf(version, "v%d", &sequence)
	return expand.Workload{
		WorkloadPlan: rollout.WorkloadPlan{Workload: workload, Replicas: replicas, Weight: weight},
		Revision:     expand.Revision{Version: version, Sequence: sequence}, Pins: []string{version}, Reachable: true,
	}
}

func versions(count int) []expand.Workload {
	var out []expand.Workload
	for i := 1; i <= count; i++ {
		name := fmt.Sprintf("v%d", i)
		out = append(out, share(name, name, 1, 0))
	}
	out[0].Weight = 100
	return out
}

func tagged(serving []expand.Workload, tags ...string) []expand.Workload {
	for i := range serving {
		serving[i].Pins = append(slices.Clip(serving[i].Pins), tags...)
	}
	return serving
}

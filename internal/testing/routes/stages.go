package routes

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/crdtest"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/rollout"
)

// Facts are those of a cluster that serves HTTPRoutes.
var Facts = facts.Facts{Namespace: "default", HTTPRouteServed: true}

// Stage is the route of a handler at one point of its life.
type Stage struct {
	Name  string
	Route *gatewayv1.HTTPRoute
}

// Stages returns the routes that are planned for a handler, one after another.
func Stages(t testing.TB, h *v1.GatiHandler) []Stage {
	t.Helper()
	resolved, errs := defaulting.ResolveHandler(&h.Spec, Facts)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	var many []expand.Workload
	for i := range int64(20) {
		many = append(many, serving(i+1, 0))
	}
	many[0].Weight = 100
	many[4].Pins = append(many[4].Pins, "stable", "next", "latest")
	var out []Stage
	for _, s := range []struct {
		name    string
		serving []expand.Workload
	}{
		{"alone", []expand.Workload{{WorkloadPlan: rollout.WorkloadPlan{Workload: v1.WorkloadMain, Replicas: 1, Weight: 100}, Revision: expand.Revision{Version: "v1", Sequence: 1}}}},
		{"with a pin", []expand.Workload{serving(1, 100)}},
		{"with a second version", []expand.Workload{serving(1, 90), serving(2, 10)}},
		{"with tags", []expand.Workload{serving(1, 90, "stable"), serving(2, 10, "next", "latest")}},
		{"with too many versions", many},
		{"with a pin again", []expand.Workload{serving(2, 100)}},
	} {
		for _, child := range expand.Handler(h, resolved, s.serving, s.serving[0].Workload, nil, []int32{v1.DefaultHandlerPort}).Objects {
			if route, is := child.(*gatewayv1.HTTPRoute); is {
				out = append(out, Stage{s.name, route})
			}
		}
	}
	return out
}

// serving is a version with its share of the traffic and its tags.
func serving(sequence int64, weight int32, tags ...string) expand.Workload {
	version := fmt.Sprintf("v%d", sequence)
	return expand.Workload{
		WorkloadPlan: rollout.WorkloadPlan{Workload: version, Replicas: 1, Weight: weight},
		Revision:     expand.Revision{Version: version, Sequence: sequence}, Pins: append([]string{version}, tags...), Reachable: true,
	}
}

// CRD is the schema of HTTPRoutes in the standard channel of the Gateway API.
func CRD(t testing.TB) *crdtest.Schema {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/gateway-api").Output()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := crdtest.Read(raw, gatewayv1.GroupVersion.Version)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

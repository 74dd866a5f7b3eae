package gitops

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/argoproj/argo-cd/v3/util/lua"
	"github.com/argoproj/gitops-engine/pkg/health"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
	"sigs.k8s.io/yaml"
)

// verdict is what both say of a state.
type verdict struct {
	argo health.HealthStatusCode
	flux status.Status
}

var (
	healthy     = verdict{health.HealthStatusHealthy, status.CurrentStatus}
	progressing = verdict{health.HealthStatusProgressing, status.InProgressStatus}
	suspended   = verdict{health.HealthStatusSuspended, status.InProgressStatus}
	degraded    = verdict{health.HealthStatusDegraded, status.FailedStatus}
)

// states has every state that pkg/controller/report can be in.
var states = map[string]verdict{
	"serves": healthy,
	"serves although the deadline has passed once": healthy,
	"scaled to 0": healthy,

	"the first version is starting":           progressing,
	"its pods crash":                          progressing,
	"rolls in place":                          progressing,
	"a canary":                                progressing,
	"it waits although every pod is ready":    progressing,
	"pods of the serving version start again": progressing,
	"the garbage collector is late":           progressing,
	"a write that is tried again":             progressing,

	"paused":                suspended,
	"waits for a promotion": suspended,

	"rejected":                                         degraded,
	"rejected in place":                                degraded,
	"pinned by a rollback":                             degraded,
	"held as breaking":                                 degraded,
	"refused as breaking, but stored":                  degraded,
	"failed, and stays":                                degraded,
	"the first version is late":                        degraded,
	"a gateway that does not answer":                   degraded,
	"the deadline has passed":                          degraded,
	"pods of the serving version crash":                degraded,
	"invalid comes before all":                         degraded,
	"a foreign object, though it serves":               degraded,
	"contested":                                        degraded,
	"not served":                                       degraded,
	"refused":                                          degraded,
	"it is late, and another child is foreign":         degraded,
	"a write that is tried again, of a halted rollout": degraded,
	"a parent refuses the route of what serves":        progressing,
	"it refuses for the whole deadline":                degraded,
	"no pod can be reached for the whole deadline":     degraded,
	"no pod can be reached, and they crash":            degraded,
	"they crash for the whole deadline":                degraded,
	"the first version finds no room":                  degraded,
}

// readFile reads a file of the project.
func readFile(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile("../../../" + path)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// readHealthScripts returns the health scripts that we ship, by kind.
func readHealthScripts(t *testing.T) map[string]string {
	t.Helper()
	var shipped struct{ Data map[string]string }
	readFile(t, "manifests/argocd/argocd-cm.yaml", &shipped)
	out := map[string]string{}
	for _, kind := range []string{"GatiHandler", "GatiModule", "GatiVersion"} {
		out[kind] = shipped.Data["resource.customizations.health.gati.dev_"+kind]
		if out[kind] == "" {
			t.Fatalf("no script for %s", kind)
		}
	}
	return out
}

func makeObject(kind string, generation int64, content map[string]any) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "gati.dev/v1", "kind": kind,
		"metadata": map[string]any{"name": "users", "namespace": "shop", "generation": generation},
	}}
	if content != nil {
		obj.Object["status"] = content
	}
	return obj
}

// checkVerdicts compares what both say of an object with what they should.
func checkVerdicts(t *testing.T, obj *unstructured.Unstructured, want verdict) {
	t.Helper()
	argo, err := lua.VM{}.ExecuteHealthLua(obj, readHealthScripts(t)[obj.GetKind()])
	if err != nil {
		t.Fatal(err)
	}
	flux, err := status.Compute(obj)
	if err != nil {
		t.Fatal(err)
	}
	if got := (verdict{argo.Status, flux.Status}); got != want {
		t.Errorf("Argo CD and Flux say %+v, want %+v (%s)", got, want, argo.Message)
	}
	if argo.Status != health.HealthStatusHealthy && argo.Message == "" {
		t.Error("Argo CD shows no message")
	}
}

// TestEveryState shows each state to Argo CD and to Flux.
func TestEveryState(t *testing.T) {
	var shown map[string]json.RawMessage
	readFile(t, "pkg/controller/report/testdata/states.json", &shown)
	if have, want := slices.Sorted(maps.Keys(shown)), slices.Sorted(maps.Keys(states)); !slices.Equal(have, want) {
		t.Fatalf("the states are\n%q, the table has\n%q", have, want)
	}
	for name, want := range states {
		for _, kind := range []string{"GatiHandler", "GatiModule"} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				var content map[string]any
				if err := json.Unmarshal(shown[name], &content); err != nil {
					t.Fatal(err)
				}
				content["observedGeneration"] = int64(7)
				checkVerdicts(t, makeObject(kind, 7, content), want)
				checkVerdicts(t, makeObject(kind, 8, content), progressing)
			})
		}
	}
}

// TestNothingSeenYet holds what both say before the controller has seen an object.
func TestNothingSeenYet(t *testing.T) {
	for _, kind := range []string{"GatiHandler", "GatiModule", "GatiVersion"} {
		argo, err := lua.VM{}.ExecuteHealthLua(makeObject(kind, 1, nil), readHealthScripts(t)[kind])
		if err != nil || argo.Status != health.HealthStatusProgressing {
			t.Errorf("%s: %+v, %v", kind, argo, err)
		}
	}
}

// TestRecords holds what Argo CD says of the records of versions.
func TestRecords(t *testing.T) {
	condition := func(kind, value string) any {
		return map[string]any{"type": kind, "status": value, "message": kind + "!"}
	}
	for name, tc := range map[string]struct {
		conditions []any
		want       health.HealthStatusCode
	}{
		"it serves":              {[]any{condition("Ready", "True"), condition("Stalled", "False")}, health.HealthStatusHealthy},
		"nothing runs it":        {[]any{condition("Ready", "False"), condition("Accepted", "True")}, health.HealthStatusHealthy},
		"it waits for a handler": {[]any{condition("Ready", "False"), condition("Reconciling", "True")}, health.HealthStatusProgressing},
		"it is refused":          {[]any{condition("Ready", "False"), condition("Stalled", "True")}, health.HealthStatusDegraded},
	} {
		obj := makeObject("GatiVersion", 1, map[string]any{"observedGeneration": int64(1), "conditions": tc.conditions})
		if got, err := (lua.VM{}).ExecuteHealthLua(obj, readHealthScripts(t)["GatiVersion"]); err != nil || got.Status != tc.want {
			t.Errorf("%s: %+v, %v; want %s", name, got, err, tc.want)
		}
	}
}

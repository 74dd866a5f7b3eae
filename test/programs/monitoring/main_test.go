package monitoring

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"gati.dev/gati/test/support/prometheus"
	"gati.dev/gati/test/support/repository"
)

// buildKustomization returns what kustomize makes of a folder of manifests/monitoring.
func buildKustomization(t *testing.T, folder string) []*unstructured.Unstructured {
	t.Helper()
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), repository.Path("manifests/monitoring/"+folder))
	if err != nil {
		t.Fatal(err)
	}
	var out []*unstructured.Unstructured
	for _, r := range built.Resources() {
		object, err := r.Map()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, &unstructured.Unstructured{Object: object})
	}
	return out
}

// findObject returns the one object of a kind and name.
func findObject(t *testing.T, all []*unstructured.Unstructured, kind, name string) *unstructured.Unstructured {
	t.Helper()
	for _, o := range all {
		if o.GetKind() == kind && o.GetName() == name {
			return o
		}
	}
	t.Fatalf("there is no %s %s", kind, name)
	return nil
}

// rule is one of a PrometheusRule.
type rule struct {
	Record      string            `json:"record,omitempty"`
	Alert       string            `json:"alert,omitempty"`
	Expr        string            `json:"expr"`
	For         string            `json:"for,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// name returns the name of the rule.
func (r rule) name() string { return r.Record + r.Alert }

// group is one of a file of rules, in the form that Prometheus reads, too.
type group struct {
	Name  string `json:"name"`
	Rules []rule `json:"rules"`
}

// readRules returns those that are shipped.
func readRules(t *testing.T) []group {
	t.Helper()
	var spec struct {
		Spec struct {
			Groups []group `json:"groups"`
		} `json:"spec"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(findObject(t, buildKustomization(t, ""), "PrometheusRule", "gati").Object, &spec); err != nil {
		t.Fatal(err)
	}
	return spec.Spec.Groups
}

// readAlerts returns the rules that are alerts.
func readAlerts(t *testing.T) (out []rule) {
	t.Helper()
	for _, g := range readRules(t) {
		for _, r := range g.Rules {
			if r.Alert != "" {
				out = append(out, r)
			}
		}
	}
	return out
}

// writeRules puts rules into a file for promtool.
func writeRules(t *testing.T, groups []group) string {
	t.Helper()
	text, err := yaml.Marshal(map[string]any{"groups": groups})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// runPromtool runs promtool in a folder.
func runPromtool(t *testing.T, folder string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), prometheus.Program(t, "promtool"), args...)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// dashboard is the model of the one that is shipped.
type dashboard struct {
	UID        string `json:"uid"`
	Title      string `json:"title"`
	Templating struct{ List []variable }
	Panels     []panel
}

type variable struct{ Name, Type, Definition string }

type panel struct {
	ID                       int
	Type, Title, Description string
	GridPos                  struct{ X, Y, W, H int }
	Datasource               struct{ Type, UID string }
	FieldConfig              struct{ Defaults struct{ Unit string } }
	Targets                  []struct {
		RefID        string `json:"refId"`
		Expr         string
		LegendFormat string
		Datasource   struct{ Type, UID string }
	}
}

// readDashboard returns the dashboard as the ConfigMap has it.
func readDashboard(t *testing.T) dashboard {
	t.Helper()
	cm := findObject(t, buildKustomization(t, ""), "ConfigMap", "gati-dashboards")
	text, _, err := unstructured.NestedString(cm.Object, "data", "gati.json")
	if err != nil {
		t.Fatal(err)
	}
	var out dashboard
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

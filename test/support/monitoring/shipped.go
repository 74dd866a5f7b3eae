package monitoring

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"gati.dev/gati/test/support/repository"
)

// readRules returns the shipped rules in the form of a file of Prometheus.
func readRules(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(repository.Path("manifests/monitoring/common/rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var object struct {
		Spec any `json:"spec"`
	}
	if err := yaml.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	out, err := yaml.Marshal(object.Spec)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// readPanels returns the expressions of the dashboard, by panel.
func readPanels(t testing.TB) map[string]string {
	t.Helper()
	text, err := os.ReadFile(repository.Path("manifests/monitoring/common/dashboards/gati.json"))
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	fill := strings.NewReplacer("$namespace", ".*", "$handler", ".*", "$__rate_interval", "1m")
	out := map[string]string{}
	for _, p := range d.Panels {
		for i, target := range p.Targets {
			out[fmt.Sprintf("%s/%d", p.Title, i)] = fill.Replace(target.Expr)
		}
	}
	if len(out) == 0 {
		t.Fatal("the dashboard has no query")
	}
	return out
}

package monitoring

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"gati.dev/gati/test/support/page"
	"gati.dev/gati/test/support/prometheus"
)

// Gati is where the replicas of Gati serve metrics, and how a Prometheus is let in.
type Gati struct {
	// Addresses are host and port of each replica.
	Addresses []string
	// ServerName is the name in its certificate, empty for that of docs/observability.md.
	ServerName string
	CA, Token  string
}

// Pod is one of a handler.
type Pod struct {
	Address, Namespace, Name, Handler, Version string
	// Services are those that lead to it. A ServiceMonitor makes a target for each.
	Services []string
}

// Start runs a Prometheus until the test ends. It reads Gati as the example of
// docs/observability.md does, pods with the labels that the monitors give them, and
// evaluates the shipped rules.
func Start(t testing.TB, gati Gati, pods []Pod) Server {
	t.Helper()
	scrape := exampleScrape(t)
	if gati.ServerName != "" {
		scrape["tls_config"].(map[string]any)["server_name"] = gati.ServerName
	}
	scrape["job_name"], scrape["honor_labels"] = "gati-webhook", true
	scrape["static_configs"] = []any{map[string]any{"targets": gati.Addresses}}
	var targets []any
	for _, p := range pods {
		for _, service := range p.Services {
			targets = append(targets, map[string]any{"targets": []string{p.Address}, "labels": map[string]string{
				"namespace": p.Namespace, "pod": p.Name, "gati_dev_handler": p.Handler, "gati_dev_version": p.Version, "service": service,
			}})
		}
	}
	text, err := yaml.Marshal(map[string]any{
		"global":     map[string]any{"scrape_interval": "1s", "evaluation_interval": "1s"},
		"rule_files": []string{"rules.yaml"},
		"scrape_configs": []any{scrape, map[string]any{
			"job_name":       "gati-handlers",
			"static_configs": targets,
			// As the ServiceMonitor says.
			"relabel_configs": []any{map[string]any{"action": "labeldrop", "regex": "service"}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return Server(prometheus.Start(t, string(text), map[string]string{"rules.yaml": readRules(t), "token": gati.Token, "ca.crt": gati.CA}))
}

// exampleScrape returns the scrape of docs/observability.md, with its files beside the
// configuration.
func exampleScrape(t testing.TB) map[string]any {
	t.Helper()
	for _, b := range page.Read(t, "docs/observability.md") {
		if b.Kind != "yaml" || !strings.HasPrefix(b.Text, "scheme: https") {
			continue
		}
		scrape := map[string]any{}
		if err := yaml.Unmarshal([]byte(strings.ReplaceAll(b.Text, "/etc/gati/", "")), &scrape); err != nil {
			t.Fatal(err)
		}
		return scrape
	}
	t.Fatal("docs/observability.md has no example of a scrape")
	return nil
}

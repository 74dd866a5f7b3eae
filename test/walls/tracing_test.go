package walls

import (
	"strings"
	"testing"
)

// TestOnlyTracingKnowsOpenTelemetry holds that the plugin does not link OpenTelemetry, and
// that of gati-webhook one package imports it.
func TestOnlyTracingKnowsOpenTelemetry(t *testing.T) {
	const library, only = "go.opentelemetry.io/", "pkg/tracing"
	all := packages(t)
	for _, dep := range all["cmd/kubectl-gati"].Deps {
		if strings.HasPrefix(dep, library) {
			t.Errorf("the plugin links %s; a package that it shares with gati-webhook has to take what it needs as data", dep)
		}
	}
	linked := false
	for _, dep := range all["cmd/gati-webhook"].Deps {
		linked = linked || strings.HasPrefix(dep, library+"otel/sdk")
	}
	if !linked {
		t.Error("gati-webhook does not link the SDK: the search is broken")
	}
	for path, p := range all {
		for _, imported := range p.Imports {
			if strings.HasPrefix(imported, library) && path != only && !within(path, "test") {
				t.Errorf("%s imports %s, which only %s may", path, imported, only)
			}
		}
	}
}

package remedies_test

import (
	"testing"

	"gati.dev/gati/internal/testing/remedies"
	"gati.dev/gati/pkg/remedy"
)

// TestFind holds that a remedy is found in a sentence with its flags, and nothing beside it.
func TestFind(t *testing.T) {
	for command, r := range map[string]remedy.Remedy{
		"kubectl gati upgrade --webhook-url https://10.0.0.1:9443 --force-conflicts": remedy.Upgrade,
		"kubectl gati version contract users -n shop v1.0.0":                         remedy.MoveContract,
		"kubectl gati version set-traffic users v1.0.0=40 v2.0.0- -n shop":           remedy.ResetTraffic,
		"kubectl gati version untag users v1.0.0 blue green -n shop":                 remedy.RemoveTag,
		remedy.RestoreChart.For("gati", "ops", "gati", "ops"):                        remedy.RestoreChart,
		remedy.RemoveFinalizer.For("shop", "service", "handler-users", "0"):          remedy.RemoveFinalizer,
	} {
		for _, sentence := range []string{command, "It is stopped; see this: " + command + ".", command + ", or wait", command + "; then: kubectl"} {
			if got := remedies.Find(r, sentence); got != command {
				t.Errorf("found %q in %q, want %q", got, sentence, command)
			}
		}
	}
	if got := remedies.Find(remedy.Upgrade, "kubectl gati uninstall"); got != "" {
		t.Errorf("found %q", got)
	}
}

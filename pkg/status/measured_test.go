package status

import "testing"

// TestMeasured holds the line about what measures each version.
func TestMeasured(t *testing.T) {
	version := func(name, source string) Version { return Version{Version: name, TrafficSource: source} }
	for want, versions := range map[string][]Version{
		"":                                 {version("v1", ""), {Version: "v2"}},
		"v2, v1 by pod metrics":            {version("v2", "pods"), version("v1", "pods")},
		"v2 by Prometheus and pod metrics": {version("v2", "prometheus+pods")},
		"v2 by pod metrics; v1 by nothing (pods without metrics)": {version("v2", "pods"), version("v1", "none")},
		"v1 r2 by Prometheus": {{Version: "v1", RevisionNumber: 2, Evidence: &Evidence{Source: "prometheus"}}},
	} {
		if got := (&Handler{Versions: versions}).Measured(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

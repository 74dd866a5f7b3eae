package handler

import (
	"testing"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/compat"
)

// TestCompatibilityOfAFaultySpec holds that the condition speaks of the template that the spec
// led to last. A spec whose image is gone resolves to another version, the first one.
func TestCompatibilityOfAFaultySpec(t *testing.T) {
	s := &story{}
	s.Resolved.Version, s.Running.Version = "v1", "v2.0.0"
	s.Family.Versions = []compat.Version{{Name: "v2.0.0", Schema: &v1.VersionSchema{}}}
	s.Verdicts = map[string]compat.Verdict{"v2.0.0": {Version: "v2.0.0"}}
	got := s.reportCompatibility()
	if got == nil || !got.Holds || got.Message != "Version v2.0.0 breaks no callers." {
		t.Errorf("got %+v, want that v2.0.0 breaks no callers", got)
	}
}

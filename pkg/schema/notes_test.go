package schema_test

import (
	"strings"
	"testing"

	"gati.dev/gati/pkg/schema"
)

// TestNotesBreakNothing holds that a note never says that it counts as breaking: whether the
// way back is open was not decided, which breaks no caller of the way that is asked about.
func TestNotesBreakNothing(t *testing.T) {
	old := schema.Version{Input: parse(t, []byte(`{"type":"object","properties":{"s":{"type":"string","pattern":"^[ab]*a[ab]{14}$"}}}`))}
	new := schema.Version{Input: parse(t, []byte(`{"type":"object","properties":{"s":{"type":"string","pattern":"^(a|b)*a(a|b){14}c?$"}}}`))}
	undecided := 0
	for _, pair := range [][2]schema.Version{{old, new}, {new, old}} {
		for _, f := range schema.Compatibility(pair[0], pair[1], schema.Backward).Findings {
			if f.Undecided {
				undecided++
			}
			if f.Undecided != strings.Contains(f.Message, "counts as breaking") {
				t.Errorf("a finding that is undecided: %v says %q", f.Undecided, f.Message)
			}
		}
		for _, f := range schema.Notes(pair[0], pair[1], schema.Backward) {
			if f.Severity != schema.Info || strings.Contains(f.Message, "breaking") {
				t.Errorf("a note of severity %s says %q", f.Severity, f.Message)
			}
		}
	}
	if undecided == 0 {
		t.Error("nothing is undecided: another pair of patterns has to show it")
	}
}

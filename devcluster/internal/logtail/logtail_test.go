package logtail

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDescribe(t *testing.T) {
	var long strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&long, "line %d\n", i)
	}
	tests := []struct{ name, log, want, not string }{
		{"long", long.String(), "    line 19985\n", "line 19984\n"},
		{"short", "only\n", "    only", ""},
		{"empty", "", "is empty", ""},
	}
	for _, test := range tests {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, []byte(test.log), 0o600); err != nil {
			t.Fatal(err)
		}
		got := Describe(path)
		if !strings.Contains(got, test.want) || test.not != "" && strings.Contains(got, test.not) {
			t.Errorf("%s: %q", test.name, got)
		}
		if !strings.Contains(got, path) {
			t.Errorf("%s: it does not name the log: %q", test.name, got)
		}
	}
	if got := Describe("/does/not/exist"); !strings.Contains(got, "cannot be read") {
		t.Errorf("missing: %q", got)
	}
}

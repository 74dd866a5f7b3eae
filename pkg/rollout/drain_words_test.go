package rollout

import (
	"fmt"
	"strings"
	"testing"
)

// TestTheMessageDoesNotGrow holds that versions which drain have two sentences at most.
func TestTheMessageDoesNotGrow(t *testing.T) {
	var all []string
	for n := range 18 {
		all = append(all, fmt.Sprintf("v%d stays: it is still called.", n))
		got := strings.Join(shortenStays(all), " ")
		want := strings.Join(all, " ")
		if n >= 2 {
			want = fmt.Sprintf("v0 stays: it is still called. %d more versions drain; status.versions has why.", n)
		}
		if got != want {
			t.Errorf("%d versions: %q, want %q", n+1, got, want)
		}
	}
}

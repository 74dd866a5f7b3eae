package targets

import (
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/gittest"
	"gati.dev/gati/internal/testing/soak"
)

// isLong is set for the long form of TestTargetsSurviveKills.
var isLong = soak.IsLong("targetsSurviveKills")

// TestTargetsSurviveKills kills gati-webhook at its writes while handlers under every
// target are created, take a canary and are deleted: what is live in the end is the same
// under each, and nothing is left. "make soak NAME=targetsSurviveKills" kills at each write,
// before it is made and after. It has gati-webhook to itself.
func TestTargetsSurviveKills(t *testing.T) {
	acts := []act{{name: "create", play: playCreate}, {name: "canary", play: playCanary}, {name: "delete", play: playDelete}}
	every, atMost := 8, 2
	if isLong {
		every, atMost = 1, 1000
	}
	b := newBreakpoint(t, every, atMost)
	playRows(t, acts)
	killed := b.endKills()
	for _, row := range rows {
		if n := b.kills[row.name]; n < 2 {
			t.Errorf("%d kills under %s, want at least 2", n, row.name)
		}
	}
	if at := strings.Join(killed, "\n"); isLong && (!strings.Contains(at, "git-receive-pack") || !strings.Contains(at, "/secrets/") || !strings.Contains(at, "/status")) {
		t.Errorf("no kill at a push, a release or a status")
	}
	t.Logf("%d kills:\n%s", len(killed), strings.Join(killed, "\n"))
	gittest.Open(t, plans).CheckLinear("main")
}

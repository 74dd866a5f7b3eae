package targets

import (
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/gittest"
	"gati.dev/gati/test/support/terminal"
)

// isLong is set for the long form of TestTargetsSurviveKills.
var isLong = terminal.Soaks("targetsSurviveKills")

// TestTargetsSurviveKills kills gati-webhook at its writes while handlers under every
// target are created, take a canary and are deleted: what is live in the end is the same
// under each, and nothing is left. GATI_SOAK=targetsSurviveKills does so at each write,
// before it is made and after. It has gati-webhook to itself.
func TestTargetsSurviveKills(t *testing.T) {
	every, atMost := 8, 2
	if isLong {
		every, atMost = 1, 1000
	}
	b := newBreakpoint(t, every, atMost)
	playRows(t, []string{"create", "canary", "delete"}, playShort)
	killed := b.end()
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

// playShort is a creation, a canary and a deletion.
func playShort(s *story) {
	s.t.Helper()
	s.apply("v1", nil)
	s.reaches("v1=100%")
	s.ends("create")
	s.apply("v2", nil)
	s.reaches("v2=100%")
	s.awaitGone("handler-users--v1")
	s.ends("canary")
	s.delete()
	s.ends("delete")
	if s.row.left != nil {
		s.row.left(s)
	}
}

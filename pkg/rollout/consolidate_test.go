package rollout_test

import (
	"strings"
	"testing"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

// TestAMoveToTheWorkloadMainSaysWhyItWaits holds that a RollingUpdate serves although another
// version keeps the workload main, and names what keeps it there.
func TestAMoveToTheWorkloadMainSaysWhyItWaits(t *testing.T) {
	for why, change := range map[string]func(*rollout.Policy){
		"v1 stays until ": func(*rollout.Policy) {},
		"v1 stays: fewer than 2 versions would be left (minActive).": func(p *rollout.Policy) { p.MinActive = 2 },
		"v1 stays: fewer than 3 versions would be left (minActive).": func(p *rollout.Policy) { p.MinActive = 3 },
	} {
		l := finishing(t, fromMain(t))
		l.ChangePolicy(func(p *rollout.Policy) { p.Strategy = v1.StrategyRollingUpdate })
		l.ChangePolicy(change)
		look(t, l)
		notes := strings.Join(l.Last.Notes, " ")
		if w := l.State.Rollout.WaitingFor; w != nil || !strings.Contains(notes, "v2 moves to the workload main once v1, which runs there, is removed. "+why) {
			t.Errorf("want %q, waits for %+v: %s", why, w, notes)
		}
	}
}

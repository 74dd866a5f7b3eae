package rollout_test

import (
	"strings"
	"testing"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

// TestAWaitForTheWorkloadMainSaysWhyItIsInUse holds that a RollingUpdate that cannot have the
// workload main names what keeps the version there, for only that tells what to do.
func TestAWaitForTheWorkloadMainSaysWhyItIsInUse(t *testing.T) {
	for why, change := range map[string]func(*rollout.Policy){
		"no traffic metrics, so drain.deadline decides":   func(*rollout.Policy) {},
		"fewer than 2 versions would be left (minActive)": func(p *rollout.Policy) { p.MinActive = 2 },
		"fewer than 3 versions would be left (minActive)": func(p *rollout.Policy) { p.MinActive = 3 },
	} {
		l := waitingScenes[v1.WaitingForWorkload](t)
		l.ChangePolicy(change)
		look(t, l)
		w := l.State.Rollout.WaitingFor
		if w == nil || w.Reason != v1.WaitingForWorkload || !strings.Contains(w.Message, "waits for the workload main, which v1 still uses: "+why) {
			t.Errorf("want %q, waits for %+v: %s", why, w, l.Last.Reason)
		}
	}
}

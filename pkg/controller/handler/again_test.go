package handler

import (
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/expand"
)

// TestLookAgain holds that a pod that could not count yet when it was decided is looked at
// again: no event reports that a gateway has had its time.
func TestLookAgain(t *testing.T) {
	decided := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	of := func(since ...time.Duration) *story {
		s := &story{now: decided}
		s.Resolved.Spec.Rollout = &v1.Rollout{Strategy: v1.StrategyCanary}
		w := &expand.Observed{}
		for _, ago := range since {
			w.Reachable = append(w.Reachable, decided.Add(-ago))
		}
		s.Workloads = map[string]*expand.Observed{"v2": w}
		return s
	}
	for name, tc := range map[string]struct {
		s    *story
		want time.Duration
	}{
		"no pod":                 {of(), 0},
		"all long known":         {of(time.Hour), 0},
		"one only just":          {of(time.Hour, time.Second), 2 * time.Second},
		"it is over by a moment": {of(3*time.Second - time.Millisecond), time.Millisecond},
	} {
		if got := tc.s.lookAgain(outcome{}, 0); got != tc.want {
			t.Errorf("%s: again after %s, want %s", name, got, tc.want)
		}
	}
}

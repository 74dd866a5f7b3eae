package rollout_test

import (
	"testing"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// TestWarmPool promotes a canary from 10 % to 50 % of 10 pods. With 4 spare pods the weight
// moves in the look that hears of the promotion; without, it waits for pods.
func TestWarmPool(t *testing.T) {
	tests := map[string]struct {
		pool         int32
		spare, asked int32
		atOnce       int32
	}{
		"no pool":             {pool: 0, asked: 1, atOnce: 10},
		"too small a pool":    {pool: 2, spare: 2, asked: 3, atOnce: 10},
		"a pool for the step": {pool: 4, spare: 4, asked: 5, atOnce: 50},
		"more than all need":  {pool: 50, spare: 9, asked: 10, atOnce: 50},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			l := settled(t, v1.StrategyCanary)
			l.ChangePolicy(func(p *rollout.Policy) {
				p.Replicas, p.Pool = 10, tc.pool
				p.Steps = []rollout.Step{{Weight: 10}, {Weight: 50}}
			})
			pass(t, l, 12)
			l.Declare("v2", 1)
			pass(t, l, 12)
			if w := planOf(l, "v2"); w.Weight != 10 || w.Replicas != tc.asked || l.State.Rollout.SparePods != tc.spare {
				t.Fatalf("v2 has %d %% and is asked for %d pods, %d of them spare; want 10 %%, %d, %d", w.Weight, w.Replicas, l.State.Rollout.SparePods, tc.asked, tc.spare)
			}
			l.Ask(request.Promote, "")
			look(t, l)
			if w := planOf(l, "v2"); w.Weight != tc.atOnce {
				t.Errorf("v2 has %d %% at once, want %d", w.Weight, tc.atOnce)
			}
			pass(t, l, 12)
			l.Ask(request.Promote, "")
			pass(t, l, 12)
			if w := planOf(l, "v2"); w.Weight != 100 || l.State.Rollout.SparePods != 0 {
				t.Errorf("at the end v2 has %d %% and %d spare pods", w.Weight, l.State.Rollout.SparePods)
			}
		})
	}
}

package rollout_test

import (
	"math/rand"
	"strings"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/detector"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// promoted is a Canary with an analysis of one success rate whose v2 was promoted a moment
// ago; the rollback window is 20 minutes.
func promoted(t *testing.T, change func(*rollout.Policy)) *rollouttest.Life {
	t.Helper()
	l := judged(t)
	l.Policy.RollbackWindow = 20 * time.Minute
	change(&l.Policy)
	l.Cluster.Load.PerSecond = 50
	l.Declare("v2", 1)
	pass(t, l, 10)
	l.Ask(request.Promote, request.Full)
	for range 30 {
		pass(t, l, 1)
		if r := l.State.Rollout; r.Phase == v1.RolloutStable && r.Stable.Version == "v2" {
			return l
		}
	}
	t.Fatalf("v2 was not promoted: %s", l.Last.Reason)
	return nil
}

// historyOf returns the entries of a kind.
func historyOf(l *rollouttest.Life, what string) (why []string) {
	for _, e := range l.State.Rollout.History {
		if e.What == what {
			why = append(why, e.Why)
		}
	}
	return why
}

// TestAPromotedVersionIsJudgedUntilTheRollbackWindowIsOver lets a promoted version fail 30 %
// of its requests, and holds what becomes of it.
func TestAPromotedVersionIsJudgedUntilTheRollbackWindowIsOver(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*rollout.Policy)
		// after is how many looks of ten seconds go by before it fails.
		after  int
		serves string
		// told is a kind of history entry that there must be, and note what a note says.
		told, note string
	}{
		"at once":                  {func(*rollout.Policy) {}, 0, "v1", "RolledBack", "v2 is not tried again until the spec changes"},
		"late in the window":       {func(*rollout.Policy) {}, 108, "v1", "RolledBack", ""},
		"after the window":         {func(*rollout.Policy) {}, 121, "v2", "", ""},
		"with a dry run":           {func(p *rollout.Policy) { p.Analysis.DryRun = true }, 0, "v2", "WouldRollBack", "is judged by its requests until"},
		"without autoRollback":     {func(p *rollout.Policy) { p.AutoRollback = false }, 0, "v2", "Failed", "autoRollback is off: roll back"},
		"without a gateway":        {func(p *rollout.Policy) { p.Gateway = false }, 0, "v2", "", ""},
		"with an analysis no more": {func(*rollout.Policy) {}, -1, "v2", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := promoted(t, tc.change)
			if tc.after < 0 {
				l.ChangePolicy(func(p *rollout.Policy) { p.Analysis = nil })
			}
			for range tc.after {
				pass(t, l, 1)
			}
			l.Cluster.Load.Bad["v2-r1"] = 0.3
			pass(t, l, 11)
			ro := l.State.Rollout
			if ro.Stable.Version != tc.serves || ro.Phase != v1.RolloutStable || weightOf(&l.Last, tc.serves) != 100 {
				t.Fatalf("%s is %s with %d %%, want %s: %s", ro.Stable.Version, ro.Phase, weightOf(&l.Last, tc.serves), tc.serves, l.Last.Reason)
			}
			if (len(ro.Rejected) > 0) != (tc.serves == "v1") {
				t.Errorf("rejected: %+v", ro.Rejected)
			}
			for _, what := range []string{"RolledBack", "WouldRollBack", "Failed"} {
				if got := historyOf(l, what); (what == tc.told) != (len(got) == 1) {
					t.Errorf("%s: %q", what, got)
				}
			}
			if told := l.Last.Reason + strings.Join(l.Last.Notes, " "); !strings.Contains(told, tc.note) {
				t.Errorf("%q, want %q", told, tc.note)
			}
		})
	}
}

// TestARollbackAfterPromotionIsImmediate holds that the decision that sees the failure gives
// the version before all traffic, also of callers of the front Service, that the reason has
// the counts, and that a retry begins with the first step.
func TestARollbackAfterPromotionIsImmediate(t *testing.T) {
	l := promoted(t, func(*rollout.Policy) {})
	l.Cluster.Load.Bad["v2-r1"] = 1
	for range 12 {
		if look(t, l); l.State.Rollout.Stable.Version == "v1" {
			break
		}
		l.Cluster.Pass(5 * time.Second)
	}
	if ro := l.State.Rollout; ro.Phase != v1.RolloutRollingBack || weightOf(&l.Last, "v1") != 100 || l.Last.Front != "v1" {
		t.Fatalf("%s, v1 has %d %%, the front Service selects %s: %s", ro.Phase, weightOf(&l.Last, "v1"), l.Last.Front, l.Last.Reason)
	}
	why := strings.Join(historyOf(l, "RolledBack"), " ")
	for _, want := range []string{"its success rate is", "required: at least 99 %", "requests bad", "promoted ", "rollbackWindow is not over"} {
		if !strings.Contains(why, want) {
			t.Errorf("%q is not in %q", want, why)
		}
	}
	pass(t, l, 10)
	l.Cluster.Load.Bad["v2-r1"] = 0
	l.Ask(request.Retry, "")
	pass(t, l, 10)
	if ro := l.State.Rollout; ro.Target == nil || ro.Target.Version != "v2" || weightOf(&l.Last, "v2") != 10 || len(historyOf(l, "RolledBack")) != 1 {
		t.Errorf("after a retry v2 has %d %%: %s", weightOf(&l.Last, "v2"), l.Last.Reason)
	}
}

// TestTheFrontFollowsTheWeightsBack holds that callers of the front Service stay with the
// version that failed as long as the one before has no pods for all of them.
func TestTheFrontFollowsTheWeightsBack(t *testing.T) {
	l := promoted(t, func(*rollout.Policy) {})
	l.Cluster.Full = true
	l.Cluster.Evict("v1")
	l.Cluster.Load.Bad["v2-r1"] = 1
	pass(t, l, 10)
	if ro := l.State.Rollout; ro.Stable.Version != "v1" || weightOf(&l.Last, "v2") != 100 || l.Last.Front != "v2" {
		t.Fatalf("%s is stable, v2 has %d %%, the front Service selects %s: %s", ro.Stable.Version, weightOf(&l.Last, "v2"), l.Last.Front, l.Last.Reason)
	}
	l.Cluster.Full = false
	pass(t, l, 20)
	if ro := l.State.Rollout; ro.Phase != v1.RolloutStable || weightOf(&l.Last, "v1") != 100 || l.Last.Front != "v1" {
		t.Errorf("%s, v1 has %d %%, the front Service selects %s: %s", ro.Phase, weightOf(&l.Last, "v1"), l.Last.Front, l.Last.Reason)
	}
}

// TestANewerVersionHasItsOwnAnalysis holds that a version which is declared in the window
// ends the judgement of the one before it, also after its own rollback.
func TestANewerVersionHasItsOwnAnalysis(t *testing.T) {
	l := promoted(t, func(*rollout.Policy) {})
	l.Declare("v3", 1)
	pass(t, l, 20)
	l.Cluster.Load.Bad["v3-r1"] = 1
	pass(t, l, 20)
	l.Cluster.Load.Bad["v2-r1"] = 1
	pass(t, l, 20)
	if ro := l.State.Rollout; ro.Stable.Version != "v2" || len(ro.Rejected) != 1 || ro.Rejected[0].Version != "v3" {
		t.Errorf("%s is stable, rejected: %+v", ro.Stable.Version, ro.Rejected)
	}
}

// TestTheWatchKeepsThePromises lets handlers live through random events while versions turn
// bad at any time, before their promotion and after it: every promise holds, and only what
// was bad is rolled back for its requests.
func TestTheWatchKeepsThePromises(t *testing.T) {
	if detector.Enabled {
		t.Skip("one goroutine; TestNextKeepsItsPromises lives such lives under the race detector")
	}
	t.Parallel()
	returned := 0
	for seed := range int64(1000) {
		l, wasBad := watchedLife(t, seed), map[string]bool{}
		random := rand.New(rand.NewSource(seed))
		for range 60 {
			if r := l.State.Rollout; r != nil && r.Stable != nil && r.Phase == v1.RolloutStable && random.Intn(8) == 0 {
				l.Cluster.Load.Bad[r.Stable.Revision] = random.Float64()
				wasBad[r.Stable.Revision] = true
			}
			if err := liveOn(l, random.Intn(3) == 0); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for _, e := range l.Last.Events {
				if e.Reason != "RolledBack" || !strings.Contains(e.Message, "; promoted ") {
					continue
				}
				returned++
				if r := l.Last.Rollout.Rejected; !wasBad[r[len(r)-1].Revision] {
					t.Fatalf("seed %d: it was well: %s", seed, e.Message)
				}
			}
		}
		if err := rollouttest.Deterministic(rollout.Next, l.Input()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	if t.Logf("%d promoted versions were rolled back", returned); returned < 50 {
		t.Errorf("only %d promoted versions were rolled back: the test misses something", returned)
	}
}

// liveOn lets something happen, or only some time go by, and looks.
func liveOn(l *rollouttest.Life, disturbed bool) error {
	if disturbed {
		return l.Live(1)
	}
	l.Cluster.Pass(20 * time.Second)
	return l.Stumble()
}

// watchedLife is a Canary with requests to count, and windows long enough to be judged in.
func watchedLife(t *testing.T, seed int64) *rollouttest.Life {
	t.Helper()
	l := rollouttest.NewLife(rollout.Next, seed)
	l.Policy.Strategy, l.Policy.Gateway, l.Policy.Checks = v1.StrategyCanary, true, nil
	l.Policy.Analysis = judged(t).Policy.Analysis
	l.Policy.AutoRollback = seed%4 != 0
	l.Policy.RollbackWindow = time.Duration(seed%60) * time.Minute
	l.Policy.Steps = []rollout.Step{{Weight: 50, Pause: time.Second}}
	l.Policy.ProgressDeadline = 2 * time.Minute
	l.Cluster.Load.PerSecond, l.Cluster.Load.Bad = 50, map[string]float64{}
	return l
}

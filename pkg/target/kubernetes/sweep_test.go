package kubernetes

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
)

// TestMemoriesAreSweptOnceAPeriod holds that a write does not go through all that is
// remembered of other objects, and that what is over is dropped all the same.
func TestMemoriesAreSweptOnceAPeriod(t *testing.T) {
	const objects = 1000
	clock := clocktesting.NewFakeClock(time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC))
	failed, contested, repaired := newFailures(clock), newContests(clock), newBudget(clock)
	for _, s := range []*sweep{&failed.sweep, &contested.sweep, &repaired.sweep} {
		due := 0
		for range objects {
			if s.isDue(clock.Now()) {
				due++
			}
			clock.Step(time.Millisecond)
		}
		if due != 1 {
			t.Errorf("%d writes within a second sweep %d times, want 1", objects, due)
		}
	}
	touch := func(i int) {
		uid := types.UID(fmt.Sprint(i))
		failed.recordFailure(childKey{owner: uid, kind: "Service", name: "x"}, "hash", errors.New("no answer"))
		contested.beginContest(uid, errors.New("another manager"))
		repaired.spendWrites(uid, 1)
	}
	for i := range objects {
		touch(i)
	}
	clock.Step(forgetAfter + repairPeriod)
	touch(objects)
	if len(failed.known) != 1 || len(contested.known) != 1 || len(repaired.spent) != 1 {
		t.Errorf("%d failures, %d contests and %d budgets are remembered, want one each", len(failed.known), len(contested.known), len(repaired.spent))
	}
}

package kubernetes

import (
	"errors"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clocktesting "k8s.io/utils/clock/testing"
)

// A write that failed is not tried again at once. How soon depends on the answer, and
// on how often it came; another plan is tried at once.
func TestFailures(t *testing.T) {
	of := schema.GroupResource{Resource: "things"}
	tests := map[string]struct {
		err  error
		want []time.Duration
		told int // the try after which it is told
	}{
		"may pass": {errors.New("no answer"), []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 30 * time.Second, 30 * time.Second}, 1},
		"a race": {apierrors.NewConflict(of, "x", errors.New("changed")),
			[]time.Duration{200 * time.Millisecond, 200 * time.Millisecond, 200 * time.Millisecond, 200 * time.Millisecond, 200 * time.Millisecond, 16 * time.Second, 30 * time.Second}, 6},
		"a refusal": {apierrors.NewForbidden(of, "x", errors.New("quota")), []time.Duration{time.Minute, time.Minute}, 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			clock := clocktesting.NewFakeClock(time.Unix(0, 0))
			f, key := newFailures(clock), childKey{kind: "Thing", name: "x"}
			for i, want := range tc.want {
				wait, problem := f.recordFailure(key, "a", tc.err)
				if wait != want || errors.Is(problem, errRace) != (i+1 < tc.told) {
					t.Errorf("try %d: again after %s, %v; want %s", i+1, wait, problem, want)
				}
				clock.Step(wait - time.Millisecond)
				if left, problem := f.findFailure(key, "a"); problem == nil || left != time.Millisecond {
					t.Errorf("try %d: a moment too soon it is tried again", i+1)
				}
				if _, problem := f.findFailure(key, "b"); problem != nil {
					t.Errorf("try %d: another plan is not tried", i+1)
				}
				clock.Step(time.Millisecond)
				if _, problem := f.findFailure(key, "a"); problem != nil {
					t.Errorf("try %d: it is not tried again", i+1)
				}
			}
			f.forgetFailure(key)
			if wait, _ := f.recordFailure(key, "a", tc.err); wait != tc.want[0] {
				t.Errorf("after a success: again after %s, want %s", wait, tc.want[0])
			}
			clock.Step(time.Hour)
			f.recordFailure(childKey{name: "other"}, "a", tc.err)
			if f.isKnown(key) {
				t.Error("an old failure is not forgotten")
			}
		})
	}
}

// Only an update that has lost a race leaves an object behind that is there.
func TestRaceOf(t *testing.T) {
	of := schema.GroupResource{Resource: "things"}
	for name, tc := range map[string]struct {
		err     error
		isThere bool
	}{
		"it has changed":   {apierrors.NewConflict(of, "x", errors.New("changed")), true},
		"another is there": {apierrors.NewAlreadyExists(of, "x"), false},
		"it is gone":       {apierrors.NewNotFound(of, "x"), false},
	} {
		race := raceOf(tc.err)
		if !isRace(tc.err) || !errors.Is(race, errRace) || errors.Is(race, errUpdateRace) != tc.isThere {
			t.Errorf("%s: %v", name, race)
		}
	}
}

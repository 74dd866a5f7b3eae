package rollout_test

import (
	"strings"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// checked is a handler at rest whose Canary of two steps has a check.
func checked(t *testing.T, when v1.CheckTime) *rollouttest.Life {
	t.Helper()
	l := settled(t, v1.StrategyCanary)
	l.Policy.Steps = []rollout.Step{{Weight: 10, Pause: time.Second}, {Weight: 50, Pause: time.Second}}
	l.Policy.Checks = []rollout.Check{{Name: "smoke", When: when, Step: 1, Timeout: 3 * time.Minute, Inconclusive: v1.InconclusiveFail}}
	return l
}

// mostWeight passes time until the rollout of v2 has ended or waits for a user, and
// returns the most that v2 had.
func mostWeight(t *testing.T, l *rollouttest.Life) (most int32) {
	t.Helper()
	for range 90 {
		pass(t, l, 1)
		most = max(most, weightOf(&l.Last, "v2"))
	}
	return most
}

// TestChecks runs a check at each time with each outcome: how much traffic the version
// had, and what is told.
func TestChecks(t *testing.T) {
	for name, tc := range map[string]struct {
		when    v1.CheckTime
		outcome rollouttest.CheckOutcome
		policy  v1.InconclusivePolicy
		most    int32
		serves  string
		verdict v1.CheckVerdict
		told    string
	}{
		"before traffic, passes": {v1.CheckBeforeTraffic, rollouttest.CheckSucceeds, v1.InconclusiveFail, 100, "v2", v1.CheckPassed, ""},
		"before traffic, fails":  {v1.CheckBeforeTraffic, rollouttest.CheckFails, v1.InconclusiveFail, 0, "v1", v1.CheckFailed, "its check smoke failed: exit code 1: GET /users: 500"},
		"before traffic, hangs":  {v1.CheckBeforeTraffic, rollouttest.CheckHangs, v1.InconclusiveFail, 0, "v1", v1.CheckInconclusive, "its check smoke did not end within its timeout (3m)"},
		"hangs, and that passes": {v1.CheckBeforeTraffic, rollouttest.CheckHangs, v1.InconclusivePass, 100, "v2", v1.CheckInconclusive, ""},
		"hangs, and that waits":  {v1.CheckBeforeTraffic, rollouttest.CheckHangs, v1.InconclusiveWait, 0, "v1", v1.CheckInconclusive, "until it is promoted; its check smoke did not end"},
		"at a step, passes":      {v1.CheckStep, rollouttest.CheckSucceeds, v1.InconclusiveFail, 100, "v2", v1.CheckPassed, ""},
		"at a step, fails":       {v1.CheckStep, rollouttest.CheckFails, v1.InconclusiveFail, 50, "v1", v1.CheckFailed, "its check smoke failed"},
		"at the end, passes":     {v1.CheckAfterPromotion, rollouttest.CheckSucceeds, v1.InconclusiveFail, 100, "v2", v1.CheckPassed, ""},
		"at the end, fails":      {v1.CheckAfterPromotion, rollouttest.CheckFails, v1.InconclusiveFail, 100, "v1", v1.CheckFailed, "its check smoke failed"},
	} {
		t.Run(name, func(t *testing.T) {
			l := checked(t, tc.when)
			l.Policy.Checks[0].Inconclusive, l.Cluster.Checks = tc.policy, tc.outcome
			if most := mostWeight(t, releasing(l)); most != tc.most {
				t.Errorf("v2 had %d %%, want %d: %s", most, tc.most, l.Last.Reason)
			}
			ro := l.State.Rollout
			if ro.Stable.Version != tc.serves || len(ro.Checks) != 1 || ro.Checks[0].Verdict != tc.verdict {
				t.Fatalf("%s serves, %+v; want %s, %s", ro.Stable.Version, ro.Checks, tc.serves, tc.verdict)
			}
			if told := l.Last.Reason + strings.Join(l.Last.Notes, " "); !strings.Contains(told, tc.told) {
				t.Errorf("%q, want %q", told, tc.told)
			}
			if len(l.Last.Checks) > 0 {
				t.Errorf("Jobs still run: %+v", l.Last.Checks)
			}
		})
	}
}

// TestOnePromotionIsOneCheck holds that a promotion of a version without traffic skips its
// check and no step.
func TestOnePromotionIsOneCheck(t *testing.T) {
	l := checked(t, v1.CheckBeforeTraffic)
	l.Policy.Steps, l.Cluster.Checks = []rollout.Step{{Weight: 10}}, rollouttest.CheckHangs
	pass(t, releasing(l), 10)
	job := l.State.Rollout.Checks[0].Job
	l.Ask(request.Promote, "")
	pass(t, l, 10)
	ro := l.State.Rollout
	if w := weightOf(&l.Last, "v2"); w != 10 || ro.Checks[0].Verdict != v1.CheckSkipped || ro.Checks[0].Message != "promoted by jane" {
		t.Errorf("v2 has %d %%: %+v", w, ro.Checks)
	}
	if _, there := l.Cluster.CheckJobs()[job]; there {
		t.Errorf("%s still runs", job)
	}
}

// TestARetryRepeatsTheCheck holds that a version that is tried again is checked again, in
// another Job, also where it had stayed at its step.
func TestARetryRepeatsTheCheck(t *testing.T) {
	for name, back := range map[string]bool{"it went back": true, "it stayed": false} {
		t.Run(name, func(t *testing.T) {
			l := checked(t, v1.CheckBeforeTraffic)
			l.Policy.AutoRollback, l.Cluster.Checks = back, rollouttest.CheckFails
			pass(t, releasing(l), 30)
			first := l.State.Rollout.Checks[0]
			l.Cluster.Checks = rollouttest.CheckSucceeds
			l.Ask(request.Retry, "")
			pass(t, l, 60)
			ro := l.State.Rollout
			if first.Verdict != v1.CheckFailed || ro.Stable.Version != "v2" || ro.Checks[0].Job == first.Job {
				t.Errorf("%+v, then %+v; %s", first, ro.Checks, l.Last.Reason)
			}
		})
	}
}

// TestAJobIsForOneRollout holds that the Job of a version that is wanted no more is
// deleted.
func TestAJobIsForOneRollout(t *testing.T) {
	l := checked(t, v1.CheckBeforeTraffic)
	l.Cluster.Checks = rollouttest.CheckHangs
	pass(t, releasing(l), 10)
	l.Declare("v1", 1)
	look(t, l)
	if jobs := l.Cluster.CheckJobs(); len(jobs) > 0 || len(l.Last.Checks) > 0 {
		t.Errorf("%v is there, %v is planned", jobs, l.Last.Checks)
	}
}

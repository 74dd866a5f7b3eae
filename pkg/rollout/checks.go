package rollout

import (
	"fmt"
	"slices"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/naming"
)

// Check is a Job that a Canary's new version is held to.
type Check struct {
	// Name identifies it.
	Name string
	When v1.CheckTime
	// Step is the step that it runs at, from 0, for CheckStep.
	Step         int32
	Timeout      time.Duration
	Inconclusive v1.InconclusivePolicy
}

// CheckJob is the observed Job of a check. It is running where neither is set.
type CheckJob struct {
	Succeeded, Failed bool
	// TimedOut reports whether the Job failed because its time was over.
	TimedOut bool
	// Message has the end of its log, where it failed.
	Message string
}

// CheckPlan is a Job that should run.
type CheckPlan struct {
	// Check is the name of the check, Job that of its Job.
	Check, Job string
	// Workload is the workload of the version under test, Unit its template.
	Workload string
	Unit     Unit
}

// checks runs the Jobs that a target is held to.
type checks struct {
	*roster
	*clock
	*journal
	traffic traffic
	handler string
	// jobs has the Jobs that were seen, by name.
	jobs map[string]CheckJob
}

// checkGrace is how much longer than its timeout the Job of a check may take to be
// stopped.
const checkGrace = 30 * time.Second

// checksFor returns the checks of a spec. Only the steps of a Canary have a place for
// them.
func checksFor(r *v1.Rollout) []Check {
	if r.Strategy != v1.StrategyCanary {
		return nil
	}
	var out []Check
	for _, c := range r.Checks {
		check := Check{Name: c.Name, When: c.When, Timeout: c.Timeout.OrDefault(v1.DefaultCheckTimeout), Inconclusive: c.Inconclusive}
		if c.Step != nil {
			check.Step = *c.Step - 1
		}
		out = append(out, check)
	}
	return out
}

// awaitChecks begins the checks of a time, and waits for all of them.
func (r checks) awaitChecks(target *unit, when v1.CheckTime) verdict {
	if r.ro.Mode != v1.RolloutSteps {
		return passed
	}
	out := passed
	for _, c := range r.policy.Checks {
		if c.When != when || when == v1.CheckStep && c.Step != r.ro.Step {
			continue
		}
		if v := r.awaitCheck(target, c); out.isPass() {
			out = v
		}
	}
	return out
}

func (r checks) awaitCheck(target *unit, c Check) verdict {
	s := r.checkStatus(c.Name)
	if s == nil {
		r.startCheck(target, c)
		s = r.checkStatus(c.Name)
	}
	at := r.traffic.describeShare(target, target.Weight)
	switch {
	case s.Verdict == v1.CheckRunning:
		return waitFor(v1.WaitingForCheck, "%s has %s; its check %s runs in Job %s", titleFor(target), at, c.Name, s.Job).
			untilTime(r.deadlineAfter(&s.StartedAt, c.Timeout))
	case s.Verdict == v1.CheckInconclusive && c.Inconclusive == v1.InconclusiveWait:
		return waitFor(v1.WaitingForPromotion, "%s has %s until it is promoted; its check %s %s", titleFor(target), at, c.Name, s.Message)
	}
	return passed
}

// startCheck notes that a check begins. The time is a part of the Job's name, so that
// another try is another Job.
func (r checks) startCheck(target *unit, c Check) {
	now := r.stampNow()
	r.ro.Checks = append(r.ro.Checks, v1.CheckStatus{
		Name: c.Name, StartedAt: *now, Verdict: v1.CheckRunning,
		Job: naming.CheckJob(r.handler, c.Name, target.Workload+"/"+target.Revision+"/"+now.UTC().Format(time.RFC3339)),
	})
}

func (r checks) checkStatus(name string) *v1.CheckStatus {
	at := slices.IndexFunc(r.ro.Checks, func(s v1.CheckStatus) bool { return s.Name == name })
	if at < 0 {
		return nil
	}
	return &r.ro.Checks[at]
}

// findCheck returns the check of the policy that a status is about; false where the spec
// has it no more.
func (r checks) findCheck(name string) (Check, bool) {
	at := slices.IndexFunc(r.policy.Checks, func(c Check) bool { return c.Name == name })
	if at < 0 {
		return Check{}, false
	}
	return r.policy.Checks[at], true
}

// updateChecks records the results of the Jobs.
func (r checks) updateChecks(target *unit) {
	r.ro.Checks = slices.DeleteFunc(r.ro.Checks, func(s v1.CheckStatus) bool {
		_, ok := r.findCheck(s.Name)
		return !ok
	})
	for i := range r.ro.Checks {
		if s := &r.ro.Checks[i]; s.Verdict == v1.CheckRunning {
			r.updateCheck(target, s)
		}
	}
}

func (r checks) updateCheck(target *unit, s *v1.CheckStatus) {
	c, _ := r.findCheck(s.Name)
	job, seen := r.jobs[s.Job]
	share := titleFor(target) + " " + r.traffic.describeShare(target, target.Weight)
	switch {
	case job.Succeeded:
		s.Verdict = v1.CheckPassed
		r.recordEvent(machineName, "CheckPassed", share, "", "check "+s.Name+" passed")
		return
	case job.Failed && !job.TimedOut:
		s.Verdict, s.Message = v1.CheckFailed, job.Message
		return
	case !job.TimedOut && r.timeLeft(&s.StartedAt, c.Timeout+checkGrace) > 0:
		return
	}
	s.Verdict, s.Message = v1.CheckInconclusive, fmt.Sprintf("did not end within its timeout (%s)", formatDuration(c.Timeout))
	if !seen {
		s.Message += ": its Job is not there"
	}
	if c.Inconclusive == v1.InconclusivePass {
		r.recordWarning(machineName, "Inconclusive", share, "", "check "+s.Name+" "+s.Message)
	}
}

// findFailedCheck returns which check has failed; empty where none has.
func (r checks) findFailedCheck() string {
	for _, s := range r.ro.Checks {
		c, _ := r.findCheck(s.Name)
		switch {
		case s.Verdict == v1.CheckFailed:
			return fmt.Sprintf("its check %s failed: %s", s.Name, s.Message)
		case s.Verdict == v1.CheckInconclusive && c.Inconclusive != v1.InconclusiveWait && c.Inconclusive != v1.InconclusivePass:
			return fmt.Sprintf("its check %s %s", s.Name, s.Message)
		}
	}
	return ""
}

// planChecks returns the checks whose Jobs should run.
func (r checks) planChecks() []CheckPlan {
	target := r.findUnit(r.ro.Target)
	if target == nil || r.ro.Mode != v1.RolloutSteps {
		return nil
	}
	var out []CheckPlan
	for _, s := range r.ro.Checks {
		if _, ok := r.findCheck(s.Name); ok && s.Verdict == v1.CheckRunning {
			out = append(out, CheckPlan{Check: s.Name, Job: s.Job, Workload: target.Workload, Unit: Unit{target.Version, target.Revision, target.RevisionNumber}})
		}
	}
	return out
}

// isOpen reports whether a check holds the rollout, or has failed it.
func isOpen(s v1.CheckStatus) bool {
	return s.Verdict == v1.CheckRunning || s.Verdict == v1.CheckInconclusive || s.Verdict == v1.CheckFailed
}

func (r checks) hasOpenChecks() bool { return slices.ContainsFunc(r.ro.Checks, isOpen) }

// hasChecksBeforeTraffic reports whether checks keep the target from its first weight.
func (r checks) hasChecksBeforeTraffic(target *unit) bool {
	return target.Weight == 0 && r.currentStep().Weight > 0 && r.hasOpenChecks()
}

// skipChecks skips the checks that hold the rollout or have failed it, and returns their
// number.
func (r checks) skipChecks(why string) int { return r.endChecks(why, isOpen) }

// stopChecks ends the checks that run.
func (r checks) stopChecks(why string) {
	r.endChecks(why, func(s v1.CheckStatus) bool { return s.Verdict == v1.CheckRunning })
}

func (r checks) endChecks(why string, matches func(v1.CheckStatus) bool) (n int) {
	for i := range r.ro.Checks {
		if s := &r.ro.Checks[i]; matches(*s) {
			s.Verdict, s.Message = v1.CheckSkipped, why
			n++
		}
	}
	return n
}

// repeatChecks forgets the checks that did not pass: they begin anew.
func (r checks) repeatChecks() {
	r.ro.Checks = slices.DeleteFunc(r.ro.Checks, isOpen)
}

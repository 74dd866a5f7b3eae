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

// mayServe asks for pods that hold the transformers that they need, and before the first
// weight for the checks of them.
func mayServe(m *machine, target *unit, step Step) verdict {
	v := podsReady(m, target, step)
	if v.isPass() && (target.Weight < step.Weight || !m.contracts.isFrontOpenTo(target)) {
		v = m.contracts.awaitReports(target)
	}
	if !v.isPass() || target.Weight > 0 || step.Weight == 0 {
		return v
	}
	return m.awaitChecks(target, v1.CheckBeforeTraffic)
}

// checksPassed asks for the checks of the step, at the end for those after promotion.
func checksPassed(m *machine, target *unit, _ Step) verdict {
	if m.isAtEnd() {
		return m.awaitChecks(target, v1.CheckAfterPromotion)
	}
	return m.awaitChecks(target, v1.CheckStep)
}

// awaitChecks begins the checks of a time, and waits for all of them.
func (m *machine) awaitChecks(target *unit, when v1.CheckTime) verdict {
	if m.ro.Mode != v1.RolloutSteps {
		return passed
	}
	out := passed
	for _, c := range m.in.Policy.Checks {
		if c.When != when || when == v1.CheckStep && c.Step != m.ro.Step {
			continue
		}
		if v := m.awaitCheck(target, c); out.isPass() {
			out = v
		}
	}
	return out
}

func (m *machine) awaitCheck(target *unit, c Check) verdict {
	s := m.checkStatus(c.Name)
	if s == nil {
		m.startCheck(target, c)
		s = m.checkStatus(c.Name)
	}
	at := m.traffic.describeShare(target, target.Weight)
	switch {
	case s.Verdict == v1.CheckRunning:
		return waitFor(v1.WaitingForCheck, "%s has %s; its check %s runs in Job %s", titleFor(target), at, c.Name, s.Job).
			untilTime(m.deadlineAfter(&s.StartedAt, c.Timeout))
	case s.Verdict == v1.CheckInconclusive && c.Inconclusive == v1.InconclusiveWait:
		return waitFor(v1.WaitingForPromotion, "%s has %s until it is promoted; its check %s %s", titleFor(target), at, c.Name, s.Message)
	}
	return passed
}

// startCheck notes that a check begins. The time is a part of the Job's name, so that
// another try is another Job.
func (m *machine) startCheck(target *unit, c Check) {
	now := m.stampNow()
	m.ro.Checks = append(m.ro.Checks, v1.CheckStatus{
		Name: c.Name, StartedAt: *now, Verdict: v1.CheckRunning,
		Job: naming.CheckJob(m.in.Handler, c.Name, target.Workload+"/"+target.Revision+"/"+now.UTC().Format(time.RFC3339)),
	})
}

func (m *machine) checkStatus(name string) *v1.CheckStatus {
	at := slices.IndexFunc(m.ro.Checks, func(s v1.CheckStatus) bool { return s.Name == name })
	if at < 0 {
		return nil
	}
	return &m.ro.Checks[at]
}

// findCheck returns the check of the policy that a status is about; false where the spec
// has it no more.
func (m *machine) findCheck(name string) (Check, bool) {
	at := slices.IndexFunc(m.in.Policy.Checks, func(c Check) bool { return c.Name == name })
	if at < 0 {
		return Check{}, false
	}
	return m.in.Policy.Checks[at], true
}

// updateChecks records the results of the Jobs.
func (m *machine) updateChecks(target *unit) {
	m.ro.Checks = slices.DeleteFunc(m.ro.Checks, func(s v1.CheckStatus) bool {
		_, ok := m.findCheck(s.Name)
		return !ok
	})
	for i := range m.ro.Checks {
		if s := &m.ro.Checks[i]; s.Verdict == v1.CheckRunning {
			m.updateCheck(target, s)
		}
	}
}

func (m *machine) updateCheck(target *unit, s *v1.CheckStatus) {
	c, _ := m.findCheck(s.Name)
	job, seen := m.in.CheckJobs[s.Job]
	share := titleFor(target) + " " + m.traffic.describeShare(target, target.Weight)
	switch {
	case job.Succeeded:
		s.Verdict = v1.CheckPassed
		m.recordEvent(machineName, "CheckPassed", share, "", "check "+s.Name+" passed")
		return
	case job.Failed && !job.TimedOut:
		s.Verdict, s.Message = v1.CheckFailed, job.Message
		return
	case !job.TimedOut && m.timeLeft(&s.StartedAt, c.Timeout+checkGrace) > 0:
		return
	}
	s.Verdict, s.Message = v1.CheckInconclusive, fmt.Sprintf("did not end within its timeout (%s)", formatDuration(c.Timeout))
	if !seen {
		s.Message += ": its Job is not there"
	}
	if c.Inconclusive == v1.InconclusivePass {
		m.recordWarning(machineName, "Inconclusive", share, "", "check "+s.Name+" "+s.Message)
	}
}

// checksFailed returns which check has failed; empty where none has.
func checksFailed(m *machine, _ *unit, _ Step) string {
	for _, s := range m.ro.Checks {
		c, _ := m.findCheck(s.Name)
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
func (m *machine) planChecks() []CheckPlan {
	target := m.findUnit(m.ro.Target)
	if target == nil || m.ro.Mode != v1.RolloutSteps {
		return nil
	}
	var out []CheckPlan
	for _, s := range m.ro.Checks {
		if _, ok := m.findCheck(s.Name); ok && s.Verdict == v1.CheckRunning {
			out = append(out, CheckPlan{Check: s.Name, Job: s.Job, Workload: target.Workload, Unit: Unit{target.Version, target.Revision, target.RevisionNumber}})
		}
	}
	return out
}

// isOpen reports whether a check holds the rollout, or has failed it.
func isOpen(s v1.CheckStatus) bool {
	return s.Verdict == v1.CheckRunning || s.Verdict == v1.CheckInconclusive || s.Verdict == v1.CheckFailed
}

func (m *machine) hasOpenChecks() bool { return slices.ContainsFunc(m.ro.Checks, isOpen) }

// hasChecksBeforeTraffic reports whether checks keep the target from its first weight.
func (m *machine) hasChecksBeforeTraffic(target *unit) bool {
	return target.Weight == 0 && m.rolloutSteps()[m.ro.Step].Weight > 0 && m.hasOpenChecks()
}

// skipChecks skips the checks that hold the rollout or have failed it, and returns their
// number.
func (m *machine) skipChecks(why string) int { return m.endChecks(why, isOpen) }

// stopChecks ends the checks that run.
func (m *machine) stopChecks(why string) {
	m.endChecks(why, func(s v1.CheckStatus) bool { return s.Verdict == v1.CheckRunning })
}

func (m *machine) endChecks(why string, matches func(v1.CheckStatus) bool) (n int) {
	for i := range m.ro.Checks {
		if s := &m.ro.Checks[i]; matches(*s) {
			s.Verdict, s.Message = v1.CheckSkipped, why
			n++
		}
	}
	return n
}

// repeatChecks forgets the checks that did not pass: they begin anew.
func (m *machine) repeatChecks() {
	m.ro.Checks = slices.DeleteFunc(m.ro.Checks, isOpen)
}

package rollouttest

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

// CheckOutcome is what becomes of the Jobs of checks.
type CheckOutcome int

// The outcomes.
const (
	// AnyCheck has an outcome that the name of its Job decides.
	AnyCheck CheckOutcome = iota
	CheckSucceeds
	CheckFails
	// CheckHangs never ends by itself.
	CheckHangs
)

// checkJob is a Job in the cluster.
type checkJob struct {
	ends    time.Time
	outcome CheckOutcome
}

// checkTimeout is that of every check in a random life.
const checkTimeout = 3 * time.Minute

// randomChecks returns checks as a user might write them. It draws nothing: the lives of
// the seeds stay what they are.
func randomChecks(p rollout.Policy) []rollout.Check {
	kind := p.ProgressDeadline / time.Second % 4
	if p.Strategy != v1.StrategyCanary || kind == 0 {
		return nil
	}
	end := []v1.InconclusivePolicy{v1.InconclusiveFail, v1.InconclusivePass}[kind%2]
	out := []rollout.Check{
		{Name: "load", When: v1.CheckStep, Step: int32(kind - 1), Timeout: checkTimeout, Inconclusive: end},
		{Name: "smoke", When: v1.CheckAfterPromotion, Timeout: checkTimeout, Inconclusive: end},
	}
	if p.Gateway {
		out = append(out, rollout.Check{Name: "first", When: v1.CheckBeforeTraffic, Timeout: checkTimeout, Inconclusive: end})
	}
	return out
}

// runChecks creates the Jobs that are decided, and deletes those that run for nothing.
func (c *Cluster) runChecks(d rollout.Decision) {
	for _, p := range d.Checks {
		if _, there := c.checks[p.Job]; there {
			continue
		}
		sum := fnv.New32()
		sum.Write([]byte(p.Job))
		job := checkJob{ends: c.Now.Add(time.Duration(5+sum.Sum32()%60) * time.Second), outcome: c.Checks}
		if c.Checks == AnyCheck {
			job.outcome = []CheckOutcome{CheckFails, CheckHangs, CheckSucceeds, CheckSucceeds, CheckSucceeds, CheckSucceeds}[sum.Sum32()/64%6]
		}
		if job.outcome == CheckHangs {
			job.ends = c.Now.Add(checkTimeout)
		}
		c.checks[p.Job] = job
	}
	for name, job := range c.checks {
		if c.Now.Before(job.ends) && !slices.ContainsFunc(d.Checks, func(p rollout.CheckPlan) bool { return p.Job == name }) {
			delete(c.checks, name)
		}
	}
}

// passChecks lets the Jobs that run, and all to come, succeed.
func (c *Cluster) passChecks() {
	c.Checks = CheckSucceeds
	for name, job := range c.checks {
		if c.Now.Before(job.ends) {
			c.checks[name] = checkJob{job.ends, CheckSucceeds}
		}
	}
}

// CheckJobs returns what can be seen of the Jobs.
func (c *Cluster) CheckJobs() map[string]rollout.CheckJob {
	out := map[string]rollout.CheckJob{}
	for name, job := range c.checks {
		seen := rollout.CheckJob{}
		if !c.Now.Before(job.ends) {
			seen.Succeeded = job.outcome == CheckSucceeds
			seen.Failed, seen.TimedOut = !seen.Succeeded, job.outcome == CheckHangs
			if job.outcome == CheckFails {
				seen.Message = "exit code 1: GET /users: 500"
			}
		}
		out[name] = seen
	}
	return out
}

// checkChecks: a version has traffic, and is stable, only when its checks have passed.
func (c *Checker) checkChecks(l look) error {
	name := findClimbing(l)
	if name == "" || l.in.Policy.Strategy != v1.StrategyCanary || l.d.Rollout.Mode != v1.RolloutSteps && l.d.Rollout.Target != nil {
		return nil
	}
	for _, check := range l.in.Policy.Checks {
		first := check.When == v1.CheckBeforeTraffic && l.was[name].Weight == 0 && l.is[name].Weight > 0
		last := check.When == v1.CheckAfterPromotion && l.d.Rollout.Target == nil
		if (first || last) && !hasPassed(l, check) {
			return fmt.Errorf("%s has %d %% before its check %s has passed: %+v", name, l.is[name].Weight, check.Name, l.d.Rollout.Checks)
		}
	}
	return nil
}

// hasPassed reports whether a check succeeded, or need not.
func hasPassed(l look, check rollout.Check) bool {
	at := slices.IndexFunc(l.d.Rollout.Checks, func(s v1.CheckStatus) bool { return s.Name == check.Name })
	if at < 0 {
		return false
	}
	s := l.d.Rollout.Checks[at]
	switch s.Verdict {
	case v1.CheckSkipped:
		return true
	case v1.CheckInconclusive:
		return check.Inconclusive == v1.InconclusivePass
	default:
		return l.in.CheckJobs[s.Job].Succeeded
	}
}

// failsCheck reports whether a decision gives a version up because of a check.
func failsCheck(d rollout.Decision) bool {
	return slices.ContainsFunc(d.Events, func(e rollout.Event) bool {
		return e.Reason == "RolledBack" && strings.Contains(e.Message, ": its check ")
	})
}

package rollouttest

import (
	"fmt"
	"strings"
	"time"

	v1 "gati.dev/gati/api/v1"
)

// checkServed: what has traffic is said to serve only where a pod of it can be reached, and
// a handler to which nothing happens waits while a parent does not serve its route.
func (c *Checker) checkServed(l look) error {
	r := l.d.Rollout
	if r.Phase != v1.RolloutStable {
		return nil
	}
	if strings.Contains(l.d.Reason, "with 0 of ") {
		return fmt.Errorf("nothing serves: %s", l.d.Reason)
	}
	if name := findUnreached(l); name != "" && (r.WaitingFor == nil || strings.Contains(l.d.Reason, " serves ")) {
		return fmt.Errorf("%s has %d %% and no pod that can be reached: %s", name, l.is[name].Weight, l.d.Reason)
	}
	if l.in.Policy.Gateway && r.WaitingFor == nil && !isAccepted(l) {
		return fmt.Errorf("its route is not served: %s", l.d.Reason)
	}
	return nil
}

// findUnreached returns a workload that has traffic and should have pods, none of which can be
// reached. One that this decision scales to 0 pods should have none.
func findUnreached(l look) string {
	for name, v := range l.is {
		seen, ok := l.in.Workloads[name]
		if ok && v.Weight > 0 && seen.Ready == 0 && max(seen.Wanted, min(l.was[name].Replicas, v.Replicas)) > 0 {
			return name
		}
	}
	return ""
}

// blackout is for how long the machine may have seen a version down before.
const blackout = 31 * time.Second

// findDown returns the versions of a rollout by steps that have traffic and no ready pod.
func (c *Checker) findDown(l look) []string {
	r := l.d.Rollout
	if !l.in.Policy.Gateway || r.Phase != v1.RolloutProgressing || r.Mode != v1.RolloutSteps || c.neededPods(l) == 0 {
		return nil
	}
	var down []string
	for _, name := range []string{r.Stable.Workload, r.Target.Workload} {
		seen, ok := l.in.Workloads[name]
		if ok && seen.Ready == 0 && l.is[name].Weight > 0 {
			down = append(down, name)
		}
	}
	return down
}

// hasLost reports whether a version has been down for the deadline and more.
func (c *Checker) hasLost(l look, name string, more time.Duration) bool {
	at, ok := c.lost[name]
	return ok && l.in.Now.Sub(at) >= l.in.Policy.ProgressDeadline+more
}

// checkLost: no traffic stays with a version whose pods are down for longer than the deadline,
// while the other one of the rollout has traffic and pods. A stable version gives nothing to a
// target that may not be raised.
func (c *Checker) checkLost(l look) error {
	r := l.d.Rollout
	for _, name := range c.findDown(l) {
		other := r.Stable.Workload
		if other == name {
			other = r.Target.Workload
		}
		isHeld := other == r.Target.Workload && (r.Frozen != nil || l.in.HasFaults) || l.in.Workloads[name].Obstructed && !l.in.Policy.AutoRollback
		canTake := l.in.Workloads[other].Ready > 0 && l.was[other].Weight > 0
		if canTake && !isHeld && c.hasLost(l, name, time.Second) {
			return fmt.Errorf("%s is down since %s: %s", name, c.lost[name].Format(time.TimeOnly), l.d.Reason)
		}
	}
	return nil
}

// checkCrashed: a target that restarts and has no ready pod at that look keeps no traffic, where
// the stable version has pods.
func (c *Checker) checkCrashed(l look) error {
	down := c.findDown(l)
	if r := l.d.Rollout; len(down) != 1 || down[0] != r.Target.Workload || c.target != down[0] || !r.StartedAt.Equal(l.in.State.Rollout.StartedAt) {
		return nil
	}
	seen := l.in.Workloads[down[0]]
	if _, known := l.in.Workloads[l.d.Rollout.Stable.Workload]; !known || seen.Obstructed || !c.restarts.hasNew(seen.Restarts) {
		return nil
	}
	return fmt.Errorf("%s has crashed and keeps %d %%: %s", down[0], l.is[down[0]].Weight, l.d.Reason)
}

// persistLost notes since when the versions of one rollout are down.
func (c *Checker) persistLost(l look) {
	was, is, before := l.in.State.Rollout, l.d.Rollout, c.lost
	isSame := was != nil && was.Target != nil && is.Target != nil && *was.Target == *is.Target && was.StartedAt.Equal(is.StartedAt)
	if isSame {
		if _, seen := l.in.Workloads[is.Target.Workload]; !seen {
			return // The machine learns nothing, either.
		}
	}
	c.lost = map[string]time.Time{}
	for _, name := range c.findDown(l) {
		c.lost[name] = l.in.Now
		if at, ok := before[name]; ok && isSame {
			c.lost[name] = at
		}
	}
}

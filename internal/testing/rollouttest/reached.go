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
// reached.
func findUnreached(l look) string {
	for name, v := range l.is {
		seen, ok := l.in.Workloads[name]
		if ok && v.Weight > 0 && seen.Ready == 0 && max(seen.Wanted, l.was[name].Replicas) > 0 {
			return name
		}
	}
	return ""
}

// blackout is for how long the machine may have seen the target down before.
const blackout = 31 * time.Second

// isLosing reports whether, beside a target of steps, the stable version has traffic and no
// ready pod.
func isLosing(l look) bool {
	r := l.d.Rollout
	if !l.in.Policy.Gateway || r.Phase != v1.RolloutProgressing || r.Mode != v1.RolloutSteps || r.Frozen != nil || l.in.HasFaults {
		return false
	}
	seen, ok := l.in.Workloads[r.Stable.Workload]
	return ok && seen.Ready == 0 && l.is[r.Stable.Workload].Weight > 0
}

// hasLost reports whether the stable version has been down for the deadline and more.
func (c *Checker) hasLost(l look, more time.Duration) bool {
	return !c.lost.IsZero() && l.in.Now.Sub(c.lost) >= l.in.Policy.ProgressDeadline+more
}

// checkLost: no traffic stays with a stable version whose pods are down for longer than the
// deadline, while the target has pods.
func (c *Checker) checkLost(l look) error {
	if !isLosing(l) || !c.hasLost(l, time.Second) {
		return nil
	}
	if name := l.d.Rollout.Target.Workload; l.was[name].Weight == 0 || l.in.Workloads[name].Ready == 0 {
		return nil
	}
	return fmt.Errorf("%s is down since %s: %s", l.d.Rollout.Stable.Workload, c.lost.Format(time.TimeOnly), l.d.Reason)
}

// persistLost notes since when the stable version is down in one rollout.
func (c *Checker) persistLost(l look) {
	was, is := l.in.State.Rollout, l.d.Rollout
	isSame := was != nil && was.Target != nil && is.Target != nil && *was.Target == *is.Target && was.StartedAt.Equal(is.StartedAt)
	switch {
	case !isLosing(l):
		c.lost = time.Time{}
	case c.lost.IsZero() || !isSame:
		c.lost = l.in.Now
	}
}

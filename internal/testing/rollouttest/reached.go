package rollouttest

import (
	"fmt"
	"strings"

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

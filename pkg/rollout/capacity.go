package rollout

import (
	v1 "gati.dev/gati/api/v1"
)

// weights are shares of the traffic in percent. A unit that is missing has none.
type weights map[*unit]int32

func allTo(u *unit) weights { return weights{u: 100} }

// capacity decides how many pods each workload has.
type capacity struct {
	retention
	traffic traffic
	shares  *shares
}

// holdReference samples the replicas that carry all traffic, unless that was done already.
func (c capacity) holdReference() {
	if c.ro.ReferenceReplicas == nil {
		r := c.sampleReplicas()
		c.ro.ReferenceReplicas = &r
	}
	c.raiseReference()
}

// raiseReference follows the wanted replicas, but only up.
func (c capacity) raiseReference() {
	if c.ro.ReferenceReplicas == nil {
		return
	}
	now := c.policy.Replicas
	if c.policy.Autoscaled {
		now = 0
		if s := c.findUnit(c.ro.Stable); s != nil && c.policy.Gateway && !c.isManual() {
			now = c.observed[s.Workload].Wanted
		}
	}
	if now > *c.ro.ReferenceReplicas {
		c.ro.ReferenceReplicas = &now
	}
}

func ceilPods(weight, replicas int32) int32 {
	return int32((int64(weight)*int64(replicas) + 99) / 100)
}

// settledPods counts the ready pods that a gateway can know. Whether a gateway uses an
// endpoint is not observable: it has no status.
func settledPods(w Workload) int32 { return max(0, w.Ready-w.Settling) }

// computeReplicas computes the floor of every workload.
func (c capacity) computeReplicas() {
	c.ro.SparePods = 0
	if c.isReferenceOver() {
		c.ro.ReferenceReplicas = nil
	}
	if now := c.policy.Replicas; !c.policy.Autoscaled && c.referenceReplicas() > now {
		c.addNote("The scale-down from %d to %s waits until the rollout and rollbackWindow are over, so that a rollback is immediate.", c.referenceReplicas(), countPods(now, ""))
	}
	if !c.policy.Gateway {
		for u, n := range c.traffic.splitReplicas() {
			u.Replicas = n
		}
		return
	}
	for _, u := range c.units {
		if isLive(u) {
			u.Replicas = c.minReplicas(u)
			c.addSparePods(u)
		}
	}
}

// addSparePods gives the target of steps its warm pool: pods for the next steps, at most
// those that all traffic needs. No gate waits for them.
func (c capacity) addSparePods(u *unit) {
	if c.policy.Pool == 0 || c.ro.Mode != v1.RolloutSteps || c.ro.Phase != v1.RolloutProgressing || !c.isUnit(u, c.ro.Target) {
		return
	}
	spare := min(c.policy.Pool, c.referenceReplicas()-u.Replicas)
	if spare > 0 {
		u.Replicas += spare
		c.ro.SparePods = spare
	}
}

// isReferenceOver reports whether nothing depends on the sampled replicas any more.
func (c capacity) isReferenceOver() bool {
	if c.ro.Phase != v1.RolloutStable && c.ro.Phase != v1.RolloutStarting {
		return false
	}
	for _, u := range c.units {
		if isLive(u) && (c.isWarm(u) || u.ExposedWeight != u.Weight) {
			return false
		}
	}
	return true
}

// minReplicas is the fewest pods of a unit.
func (c capacity) minReplicas(u *unit) int32 {
	weight := max(u.Weight, u.ExposedWeight, c.preparedWeight(u))
	n := c.traffic.neededReplicas(weight)
	switch {
	case c.ro.ReferenceReplicas == nil && c.policy.Autoscaled:
		n = 1
		if c.isUnit(u, c.ro.Stable) {
			n = c.policy.Min
		}
	case c.isUnit(u, c.ro.Stable) && !c.isManual(), c.isWarm(u):
		n = max(n, c.referenceReplicas())
	}
	if c.isKeptWarm(u) {
		n = max(n, c.policy.Warm)
	}
	return n
}

// mayIdle reports whether a unit may be without pods: only callers with its header reach
// it, and no rollback or coming weight needs it.
func (c capacity) mayIdle(u *unit) bool {
	needed := c.isUnit(u, c.ro.Stable) || c.isUnit(u, c.ro.Target) || c.isWarm(u) || c.isKeptWarm(u)
	return c.policy.MayIdle && !needed && max(u.Weight, u.ExposedWeight, c.preparedWeight(u)) == 0
}

// preparedWeight is the weight that a unit is being prepared for.
func (c capacity) preparedWeight(u *unit) int32 {
	switch {
	case c.isManual():
		return c.shares.prepared[u]
	case c.isUnit(u, c.ro.Target) && c.ro.Phase == v1.RolloutProgressing:
		return c.currentStep().Weight
	default:
		return 0
	}
}

package rollout

import (
	"fmt"
	"slices"
	"strings"

	v1 "gati.dev/gati/api/v1"
)

// MaxShares is how many versions share the traffic at most: a rule of an HTTPRoute
// has 16 backends, and a route with more is refused.
const MaxShares = 16

// isManual tells that the records decide the weights.
func (m *machine) isManual() bool { return m.in.Policy.Strategy == v1.StrategyManual }

// runManual gives every version the share that its record asks for. A new
// template of a version takes its share over once it is ready.
func (m *machine) runManual() bool {
	stable := m.findUnit(m.ro.Stable)
	if stable == nil {
		return m.startFirst()
	}
	if m.ro.Target != nil && m.ro.Mode != v1.RolloutAtOnce {
		m.recordEvent(machineName, "Superseded", titleFor(m.findUnit(m.ro.Target)), "", "the strategy is Manual now: the weights stay until records say otherwise")
		m.ro.Target, m.ro.Mode, m.ro.Failure, m.ro.Step = nil, "", "", 0
		m.resetStep()
	}
	pending := m.handOverVersion()
	goal := m.recordedWeights()
	m.byRecord = goal
	if t := m.findUnit(m.ro.Target); t != nil {
		m.byRecord = weights{}
		for u, w := range goal {
			m.byRecord[u] = w
		}
		m.byRecord[t] = goal[m.servingUnit(t.Version)]
	}
	m.applyShares(goal, pending)
	m.reportCrowd()
	return false
}

// applyShares moves the weights to what the records ask for.
func (m *machine) applyShares(goal weights, pending string) {
	stable := m.findUnit(m.ro.Stable)
	if !m.hasWeights(goal) {
		m.holdReference()
		if m.ro.Frozen == nil || m.ro.Pinned != nil {
			before := m.weightsLine()
			m.moveWeights(goal, m.ro.Pinned != nil)
			m.exposeWeights()
			if now := m.weightsLine(); now != before {
				m.recordEvent(machineName, "Weights", before, now, m.describeShares())
			}
		}
	}
	v := m.checkRoute(true)
	switch {
	case m.ro.Phase == v1.RolloutStarting && stable.Weight > 0 && m.readyPods(stable) == 0 && m.referenceReplicas() > 0:
		m.setReason("%s is starting: 0 of %d pods ready.", titleFor(stable), m.referenceReplicas())
	case !m.hasWeights(goal) && m.ro.Frozen != nil && m.ro.Pinned == nil:
		m.ro.Phase = v1.RolloutProgressing
		m.setReason("Paused by %s at %s.", m.ro.Frozen.By, m.weightsLine())
	case !m.hasWeights(goal):
		m.ro.Phase = v1.RolloutProgressing
		m.lookAgainIn(retryInterval)
		m.setReason("%s so far: %s.", m.weightsLine(), m.describeShortage(goal))
	case !v.pass:
		m.ro.Phase = v1.RolloutProgressing
		m.setReason("%s. %s", m.weightsLine(), v.sentence)
	case pending != "":
		m.ro.Phase = v1.RolloutProgressing
		m.setReason("%s. %s", m.weightsLine(), pending)
	default:
		m.ro.Phase = v1.RolloutStable
		m.electStable()
		m.setReason("%s, as %s.", m.weightsLine(), m.describeShares())
	}
}

// reportCrowd says that a route has no room for all who ask for a share.
func (m *machine) reportCrowd() {
	if m.crowd > 0 {
		m.stalled = true
		m.setReason("%d versions ask for traffic, and an HTTPRoute shares it among %d at most: %s stay until fewer ask for it, as kubectl gati version set-traffic lets them.", m.crowd, MaxShares, m.weightsLine())
	}
}

func (m *machine) describeShares() string {
	if m.ro.Pinned != nil {
		return "the rollback by " + m.ro.Pinned.By + " asks for"
	}
	return "the records ask for"
}

// handOverVersion lets another template of a declared version take its place, and says
// what it waits for.
func (m *machine) handOverVersion() string {
	d := m.findTemplate(m.in.Declared.Version, m.in.Declared.RevisionNumber)
	from := m.servingUnit(d.Version)
	if t := m.findUnit(m.ro.Target); t != nil && t != d {
		m.ro.Target = nil
	}
	if from == nil || from == d {
		m.ro.Target = nil
		return ""
	}
	if why := m.rejectionFor(d); why != "" {
		m.ro.Target = nil
		return ""
	}
	if m.ro.Frozen != nil {
		return titleFor(d) + " waits: paused by " + m.ro.Frozen.By + "."
	}
	if m.ro.Target == nil {
		m.holdReference()
		m.ro.Target, m.ro.Mode, m.ro.StartedAt, m.ro.Restarts = d.Ref(), v1.RolloutAtOnce, m.stampNow(), m.countRestarts(d)
		m.resetStep()
		m.recordEvent(machineName, "Started", titleFor(from), titleFor(d), "")
	}
	step := Step{Weight: from.Weight}
	if why := m.findFailure(d, step); why != "" {
		m.rejectUnit(m.ro.Target, why)
		m.recordWarning(machineName, "Failed", titleFor(d), titleFor(from), why)
		m.ro.Target = nil
		return ""
	}
	if v := podsReady(m, d, step); !v.pass {
		return v.sentence
	}
	from.SupersededAt, d.SupersededAt = m.stampNow(), nil
	if m.isUnit(from, m.ro.Stable) {
		m.ro.Stable = d.Ref()
	}
	m.ro.Target = nil
	m.resetStep()
	m.recordEvent(machineName, "Completed", titleFor(from), titleFor(d), "all of its pods are ready")
	return ""
}

// servingUnit returns the unit that the traffic and the pin of a version mean.
func (m *machine) servingUnit(version string) *unit {
	var best *unit
	rank := func(u *unit) int64 {
		r := int64(u.Weight)*1000 + u.RevisionNumber
		if m.isUnit(u, m.ro.Stable) {
			r += 1_000_000
		}
		if m.rejectionFor(u) != "" {
			r -= 1_000
		}
		return r
	}
	for _, u := range m.units {
		if u.Version != version || !isLive(u) || m.isUnit(u, m.ro.Target) || m.isReplaced(u) {
			continue
		}
		if best == nil || rank(u) > rank(best) {
			best = u
		}
	}
	return best
}

// isReplaced tells that another template of the same version has taken over.
func (m *machine) isReplaced(u *unit) bool {
	return u.SupersededAt != nil && slices.ContainsFunc(m.units, func(o *unit) bool {
		return o != u && o.Version == u.Version && isLive(o) && o.SupersededAt == nil && !m.isUnit(o, m.ro.Target) && m.rejectionFor(o) == ""
	})
}

// recordedWeights returns the weights that the records ask for. Where they ask for
// nothing, the weights stay.
func (m *machine) recordedWeights() weights {
	if p := m.ro.Pinned; p != nil {
		if u := m.findTemplate(p.Version, p.RevisionNumber); u != nil && !m.recordFor(u).Inactive {
			m.reviveUnit(u)
			return allTo(u)
		}
	}
	asked, sum := weights{}, int32(0)
	for _, u := range m.units {
		t := m.recordFor(u).Traffic
		if t == nil || *t == 0 || m.servingUnit(u.Version) != u || m.findBar(u) != "" {
			continue
		}
		asked[u] = *t
		sum += *t
	}
	if len(asked) > MaxShares && m.in.Policy.Gateway {
		m.crowd = len(asked)
		return m.keptWeights()
	}
	if sum == 0 {
		return m.keptWeights()
	}
	return m.toPercent(asked, sum)
}

// keptWeights returns the weights as they are, those of versions that must have none
// given to the stable one.
func (m *machine) keptWeights() weights {
	out := weights{}
	stable := m.servingUnit(m.findUnit(m.ro.Stable).Version)
	if stable == nil {
		stable = m.findUnit(m.ro.Stable)
	}
	for _, u := range m.units {
		to := m.servingUnit(u.Version)
		if to == nil || !m.isUnit(to, m.ro.Stable) && m.findBar(to) != "" {
			to = stable
		}
		out[to] += u.Weight
	}
	return out
}

// toPercent makes percents of relative shares: whole numbers, the largest
// remainders first, the older of equals.
func (m *machine) toPercent(asked weights, sum int32) weights {
	out, left := weights{}, int32(100)
	var order []*unit
	for _, u := range m.units {
		if asked[u] > 0 {
			out[u] = asked[u] * 100 / sum
			left -= out[u]
			order = append(order, u)
		}
	}
	slices.SortStableFunc(order, func(a, b *unit) int { return int(asked[b]*100%sum - asked[a]*100%sum) })
	for _, u := range order[:left] {
		out[u]++
	}
	return out
}

// electStable makes the version with the most traffic stable.
func (m *machine) electStable() {
	stable, most := m.findUnit(m.ro.Stable), m.findHeaviest()
	if most != nil && most.Weight > stable.Weight {
		m.ro.Previous, m.ro.Stable = m.ro.Stable, most.Ref()
	}
}

// weightsLine is "v1 70 %, v2 30 %".
func (m *machine) weightsLine() string {
	var parts []string
	for _, u := range m.units {
		if isLive(u) && u.Weight > 0 {
			parts = append(parts, share(titleFor(u), u.Weight))
		}
	}
	return strings.Join(parts, ", ")
}

// describeShortage says which unit has too few pods for its goal.
func (m *machine) describeShortage(goal weights) string {
	for _, u := range m.units {
		if isLive(u) && goal[u] > u.Weight && m.carriedWeight(u) < goal[u] {
			if w := m.in.Workloads[u.Workload]; w.Ready >= m.neededReplicas(goal[u]) {
				return fmt.Sprintf("%s has its %d pods ready, %d of them only just: gateways are given a moment to hear of them", titleFor(u), w.Ready, w.Settling)
			}
			return fmt.Sprintf("%s has %d of the %d pods ready that %d %% need%s", titleFor(u), m.readyPods(u), m.neededReplicas(goal[u]), goal[u], trouble(m.in.Workloads[u.Workload]))
		}
	}
	return "the rest waits for others to be ready"
}

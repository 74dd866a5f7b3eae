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

// manual tells that the records decide the weights.
func (m *machine) manual() bool { return m.in.Policy.Strategy == v1.StrategyManual }

// byRecords gives every version the share that its record asks for. A new
// template of a version takes its share over once it is ready.
func (m *machine) byRecords() bool {
	stable := m.find(m.ro.Stable)
	if stable == nil {
		return m.first()
	}
	if m.ro.Target != nil && m.ro.Mode != v1.RolloutAtOnce {
		m.tell(machineName, "Superseded", name(m.find(m.ro.Target)), "", "the strategy is Manual now: the weights stay until records say otherwise")
		m.ro.Target, m.ro.Mode, m.ro.Failure, m.ro.Step = nil, "", "", 0
		m.fresh()
	}
	pending := m.handOver()
	goal := m.recorded()
	m.byRecord = goal
	if t := m.find(m.ro.Target); t != nil {
		m.byRecord = weights{}
		for u, w := range goal {
			m.byRecord[u] = w
		}
		m.byRecord[t] = goal[m.serving(t.Version)]
	}
	m.settleRecorded(goal, pending)
	m.tellCrowd()
	return false
}

// settleRecorded moves the weights to what the records ask for.
func (m *machine) settleRecorded(goal weights, pending string) {
	stable := m.find(m.ro.Stable)
	if !m.reached(goal) {
		m.hold()
		if m.ro.Frozen == nil || m.ro.Pinned != nil {
			before := m.weightsLine()
			m.move(goal, m.ro.Pinned != nil)
			m.expose()
			if now := m.weightsLine(); now != before {
				m.tell(machineName, "Weights", before, now, m.whyWeights())
			}
		}
	}
	v := m.route(true)
	switch {
	case m.ro.Phase == v1.RolloutStarting && stable.Weight > 0 && m.ready(stable) == 0 && m.reference() > 0:
		m.say("%s is starting: 0 of %d pods ready.", name(stable), m.reference())
	case !m.reached(goal) && m.ro.Frozen != nil && m.ro.Pinned == nil:
		m.ro.Phase = v1.RolloutProgressing
		m.say("Paused by %s at %s.", m.ro.Frozen.By, m.weightsLine())
	case !m.reached(goal):
		m.ro.Phase = v1.RolloutProgressing
		m.again(lookAgain)
		m.say("%s so far: %s.", m.weightsLine(), m.shortOf(goal))
	case !v.pass:
		m.ro.Phase = v1.RolloutProgressing
		m.say("%s. %s", m.weightsLine(), v.sentence)
	case pending != "":
		m.ro.Phase = v1.RolloutProgressing
		m.say("%s. %s", m.weightsLine(), pending)
	default:
		m.ro.Phase = v1.RolloutStable
		m.electStable()
		m.say("%s, as %s.", m.weightsLine(), m.whyWeights())
	}
}

// tellCrowd says that a route has no room for all who ask for a share.
func (m *machine) tellCrowd() {
	if m.crowd > 0 {
		m.stalled = true
		m.say("%d versions ask for traffic, and an HTTPRoute shares it among %d at most: %s stay until fewer ask for it, as kubectl gati version set-traffic lets them.", m.crowd, MaxShares, m.weightsLine())
	}
}

func (m *machine) whyWeights() string {
	if m.ro.Pinned != nil {
		return "the rollback by " + m.ro.Pinned.By + " asks for"
	}
	return "the records ask for"
}

// handOver lets another template of a declared version take its place, and says
// what it waits for.
func (m *machine) handOver() string {
	d := m.known(m.in.Declared.Version, m.in.Declared.RevisionNumber)
	from := m.serving(d.Version)
	if t := m.find(m.ro.Target); t != nil && t != d {
		m.ro.Target = nil
	}
	if from == nil || from == d {
		m.ro.Target = nil
		return ""
	}
	if why := m.rejected(d); why != "" {
		m.ro.Target = nil
		return ""
	}
	if m.ro.Frozen != nil {
		return name(d) + " waits: paused by " + m.ro.Frozen.By + "."
	}
	if m.ro.Target == nil {
		m.hold()
		m.ro.Target, m.ro.Mode, m.ro.StartedAt, m.ro.Restarts = refOf(d), v1.RolloutAtOnce, m.stamp(), m.restarts(d)
		m.fresh()
		m.tell(machineName, "Started", name(from), name(d), "")
	}
	step := Step{Weight: from.Weight}
	if why := m.failure(d, step); why != "" {
		m.reject(m.ro.Target, why)
		m.warn(machineName, "Failed", name(d), name(from), why)
		m.ro.Target = nil
		return ""
	}
	if v := podsReady(m, d, step); !v.pass {
		return v.sentence
	}
	from.SupersededAt, d.SupersededAt = m.stamp(), nil
	if m.is(from, m.ro.Stable) {
		m.ro.Stable = refOf(d)
	}
	m.ro.Target = nil
	m.fresh()
	m.tell(machineName, "Completed", name(from), name(d), "all of its pods are ready")
	return ""
}

// serving returns the unit that the traffic and the pin of a version mean.
func (m *machine) serving(version string) *unit {
	var best *unit
	rank := func(u *unit) int64 {
		r := int64(u.Weight)*1000 + u.RevisionNumber
		if m.is(u, m.ro.Stable) {
			r += 1_000_000
		}
		if m.rejected(u) != "" {
			r -= 1_000
		}
		return r
	}
	for _, u := range m.units {
		if u.Version != version || !live(u) || m.is(u, m.ro.Target) || m.replaced(u) {
			continue
		}
		if best == nil || rank(u) > rank(best) {
			best = u
		}
	}
	return best
}

// replaced tells that another template of the same version has taken over.
func (m *machine) replaced(u *unit) bool {
	return u.SupersededAt != nil && slices.ContainsFunc(m.units, func(o *unit) bool {
		return o != u && o.Version == u.Version && live(o) && o.SupersededAt == nil && !m.is(o, m.ro.Target) && m.rejected(o) == ""
	})
}

// recorded returns the weights that the records ask for. Where they ask for
// nothing, the weights stay.
func (m *machine) recorded() weights {
	if p := m.ro.Pinned; p != nil {
		if u := m.known(p.Version, p.RevisionNumber); u != nil && !m.record(u).Inactive {
			m.revive(u)
			return allTo(u)
		}
	}
	asked, sum := weights{}, int32(0)
	for _, u := range m.units {
		t := m.record(u).Traffic
		if t == nil || *t == 0 || m.serving(u.Version) != u || m.barred(u) != "" {
			continue
		}
		asked[u] = *t
		sum += *t
	}
	if len(asked) > MaxShares && m.in.Policy.Gateway {
		m.crowd = len(asked)
		return m.kept()
	}
	if sum == 0 {
		return m.kept()
	}
	return m.percent(asked, sum)
}

// kept returns the weights as they are, those of versions that must have none
// given to the stable one.
func (m *machine) kept() weights {
	out := weights{}
	stable := m.serving(m.find(m.ro.Stable).Version)
	if stable == nil {
		stable = m.find(m.ro.Stable)
	}
	for _, u := range m.units {
		to := m.serving(u.Version)
		if to == nil || !m.is(to, m.ro.Stable) && m.barred(to) != "" {
			to = stable
		}
		out[to] += u.Weight
	}
	return out
}

// percent makes percents of relative shares: whole numbers, the largest
// remainders first, the older of equals.
func (m *machine) percent(asked weights, sum int32) weights {
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
	stable, most := m.find(m.ro.Stable), m.heaviest()
	if most != nil && most.Weight > stable.Weight {
		m.ro.Previous, m.ro.Stable = m.ro.Stable, refOf(most)
	}
}

// weightsLine is "v1 70 %, v2 30 %".
func (m *machine) weightsLine() string {
	var parts []string
	for _, u := range m.units {
		if live(u) && u.Weight > 0 {
			parts = append(parts, share(name(u), u.Weight))
		}
	}
	return strings.Join(parts, ", ")
}

// shortOf says which unit has too few pods for its goal.
func (m *machine) shortOf(goal weights) string {
	for _, u := range m.units {
		if live(u) && goal[u] > u.Weight && m.carries(u) < goal[u] {
			if w := m.in.Workloads[u.Workload]; w.Ready >= m.needed(goal[u]) {
				return fmt.Sprintf("%s has its %d pods ready, %d of them only just: gateways are given a moment to hear of them", name(u), w.Ready, w.Settling)
			}
			return fmt.Sprintf("%s has %d of the %d pods ready that %d %% need%s", name(u), m.ready(u), m.needed(goal[u]), goal[u], trouble(m.in.Workloads[u.Workload]))
		}
	}
	return "the rest waits for others to be ready"
}

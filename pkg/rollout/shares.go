package rollout

import (
	"slices"
)

// MaxShares is how many versions share the traffic at most: a rule of an HTTPRoute
// has 16 backends, and a route with more is refused.
const MaxShares = 16

// recordedWeights returns the weights that the records request in percent. A version
// without a share takes the rest. Where the records request nothing, the weights stay.
func (m *machine) recordedWeights() weights {
	m.crowd, m.requested = 0, 0
	if p := m.ro.Pinned; p != nil {
		if u := m.findTemplate(p.Version, p.RevisionNumber); u != nil && !m.recordFor(u).Inactive {
			m.reviveUnit(u)
			return allTo(u)
		}
	}
	asked, sum, isSet := m.requestedShares()
	if rest := m.findRestTaker(); isSet && rest != nil && sum < 100 {
		asked[rest] = 100 - sum
		sum = 100
	}
	if len(asked) > MaxShares && m.in.Policy.Gateway {
		m.crowd = len(asked)
		return m.keptWeights()
	}
	if sum == 0 {
		return m.keptWeights()
	}
	m.requested = sum
	return m.toPercent(asked, sum)
}

// requestedShares returns the shares above zero that records request, their sum, and
// whether any record requests a share, zero included.
func (m *machine) requestedShares() (asked weights, sum int32, isSet bool) {
	asked = weights{}
	for _, u := range m.units {
		t := m.recordFor(u).Traffic
		if t == nil || m.servingUnit(u.Version) != u || m.contracts.findShareBar(u) != "" {
			continue
		}
		isSet = true
		if *t > 0 {
			asked[u] = *t
			sum += *t
		}
	}
	return asked, sum, isSet
}

// findRestTaker returns the version that takes what the others leave: the stable one
// if its record requests no share, else the one without a share that has most traffic.
func (m *machine) findRestTaker() *unit {
	var best *unit
	var most int32
	for _, u := range m.units {
		stable := m.servingUnit(u.Version) == u && m.ro.Stable != nil && u.Version == m.ro.Stable.Version
		switch r := m.recordFor(u); {
		case m.servingUnit(u.Version) != u, r.Traffic != nil, r.Inactive:
			continue
		case stable:
			return u
		case m.contracts.findShareBar(u) != "":
			continue
		}
		if w := m.versionWeight(u.Version); w > most {
			best, most = u, w
		}
	}
	return best
}

// noteUnmetShares names the versions whose records request a share that they cannot have.
func (m *machine) noteUnmetShares() {
	if m.ro.Pinned != nil {
		return
	}
	for _, u := range m.units {
		if t := m.recordFor(u).Traffic; t == nil || *t == 0 || m.servingUnit(u.Version) != u {
			continue
		}
		if why := m.contracts.findShareBar(u); why != "" {
			m.note("%s requests %d %% and gets none: %s.", titleFor(u), *m.recordFor(u).Traffic, why)
		}
	}
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
		if to == nil || !m.isUnit(to, m.ro.Stable) && m.contracts.findBar(to) != "" {
			to = stable
		}
		out[to] += u.Weight
	}
	return out
}

// toPercent scales shares to 100 in all: whole numbers, the largest remainders first,
// the older of equals.
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

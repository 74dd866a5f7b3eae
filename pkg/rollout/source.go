package rollout

import (
	"slices"
	"strings"

	v1 "gati.dev/gati/api/v1"
)

// Pods are asked for their metrics without any configuration, and an image may have none.
// A workload whose ready pods have never answered has no source: drain.deadline decides.
// One whose pods have answered before and are silent is unknown: it stays. So that they
// have answered is persisted, and never taken back while the workload lives.

// noteSource persists what measures a unit's traffic.
func (m *machine) noteSource(u *unit, w Workload) {
	switch t := w.Traffic; {
	case !isLive(u), !m.in.Policy.Gateway, m.runsInPlace(u), t.Source == "":
		u.TrafficSource = ""
	case t.At.IsZero(), t.Unproven && isProven(u, t.Source):
	case t.Unproven && w.Ready == 0 && !m.needsEvidence(u):
		// Its pods are not ready yet.
	case t.Unproven:
		u.TrafficSource = v1.TrafficSourceNone
	default:
		u.TrafficSource = t.Source
	}
}

// isProven reports whether a source has measured a unit before.
func isProven(u *unit, source string) bool {
	return slices.Contains(strings.Split(u.TrafficSource, "+"), source)
}

// hasSource reports whether anything measures a unit's traffic.
func (m *machine) hasSource(u *unit) bool {
	t := m.in.Workloads[u.Workload].Traffic
	return t.Source != "" && (!t.Unproven || isProven(u, t.Source))
}

// isUnasked reports whether the pods of a unit may have metrics, and were not asked yet.
func (m *machine) isUnasked(u *unit) bool {
	t := m.in.Workloads[u.Workload].Traffic
	return t.Unproven && t.At.IsZero() && u.TrafficSource == ""
}

// seeksSource reports whether it is worth knowing if the pods of a unit have metrics: it
// may drain some day, and metrics that stop before that must not look like none.
func (m *machine) seeksSource(u *unit) bool {
	t := m.in.Workloads[u.Workload].Traffic
	return isLive(u) && m.in.Policy.Gateway && m.in.Policy.Strategy != v1.StrategyRollingUpdate && t.Unproven && !isProven(u, t.Source)
}

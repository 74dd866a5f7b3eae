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
func (r retention) noteSource(u *unit, w Workload) {
	switch t := w.Traffic; {
	case !isLive(u), !r.policy.Gateway, r.runsInPlace(u), t.Source == "":
		u.TrafficSource = ""
	case t.At.IsZero(), t.Unproven && isProven(u, t.Source):
	case t.Unproven && w.Ready == 0 && !r.needsEvidence(u):
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

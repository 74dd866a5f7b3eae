package rollout

import (
	"cmp"
	"slices"

	v1 "gati.dev/gati/api/v1"
)

// MaxPins is how many versions a route reaches by their header: an HTTPRoute has
// 16 rules, and one is without a pin.
const MaxPins = 15

// selectPins returns the units that are reached by their header, one for each version,
// and the versions for which there is no room. Without a tag the oldest go first.
func (r *roster) selectPins() (pinned map[*unit]bool, unpinned []string) {
	pinned = map[*unit]bool{}
	if !r.policy.Gateway || r.ro.Mode == v1.RolloutInPlace {
		return pinned, nil
	}
	var all []*unit
	for _, u := range r.units {
		if isLive(u) && !r.recordFor(u).Inactive && r.pinFor(u.Version) == u {
			all = append(all, u)
		}
	}
	slices.SortStableFunc(all, func(a, b *unit) int {
		return cmp.Or(cmp.Compare(r.pinRank(b), r.pinRank(a)), cmp.Compare(b.Sequence, a.Sequence))
	})
	for i, u := range all {
		if i < MaxPins {
			pinned[u] = true
		} else {
			unpinned = append(unpinned, u.Version)
		}
	}
	return pinned, unpinned
}

// pinFor returns the unit that the header means: a further template only once it
// is stable or has taken over.
func (r *roster) pinFor(version string) *unit {
	if u := r.servingUnit(version); u != nil {
		return u
	}
	if t := r.findUnit(r.ro.Target); t != nil && t.Version == version {
		return t
	}
	return nil
}

func (r *roster) pinRank(u *unit) int {
	switch {
	case r.isUnit(u, r.ro.Stable), r.isUnit(u, r.ro.Target):
		return 2
	case len(r.recordFor(u).Tags) > 0:
		return 1
	default:
		return 0
	}
}

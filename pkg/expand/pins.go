package expand

import (
	"cmp"
	"slices"
)

// Limits of the Gateway API for one HTTPRoute.
const (
	maxRules        = 16
	maxRuleMatches  = 64
	maxRouteMatches = 128
)

// choosePins returns the workloads that get a rule of their own, and the versions
// that get none. If there are too many, the oldest without a tag lose theirs first,
// then the oldest. perValue is how many matches one value of the header needs.
func choosePins(serving []Serving, perValue int) (kept []Serving, unpinned []string) {
	wanted := slices.DeleteFunc(slices.Clone(serving), func(s Serving) bool { return len(s.Pins) == 0 })
	slices.SortStableFunc(wanted, func(a, b Serving) int {
		return cmp.Or(-cmp.Compare(pinRank(a), pinRank(b)), -cmp.Compare(a.Revision.Sequence, b.Revision.Sequence), -cmp.Compare(a.Revision.Number, b.Revision.Number))
	})
	left := maxRouteMatches - perValue
	for _, s := range wanted {
		values := min(len(s.Pins), maxRuleMatches/perValue, left/perValue)
		if len(kept) == maxRules-1 || values == 0 {
			unpinned = append(unpinned, s.Revision.Version)
			continue
		}
		left -= values * perValue
		s.Pins = s.Pins[:values]
		kept = append(kept, s)
	}
	slices.SortStableFunc(kept, func(a, b Serving) int { return cmp.Compare(a.Revision.Sequence, b.Revision.Sequence) })
	return kept, unpinned
}

func pinRank(s Serving) int { return min(len(s.Pins), 2) }

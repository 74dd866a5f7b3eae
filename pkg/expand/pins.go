package expand

import (
	"cmp"
	"slices"
)

// What the Gateway API lets one HTTPRoute hold.
const (
	maxRules       = 16
	maxRuleMatches = 64
	maxMatches     = 128
)

// pinned chooses the workloads that the route can have a rule for, beside the one
// for everybody. Where there are too many, the oldest without a tag lose theirs,
// then the oldest. perValue is how many matches one value of the header needs.
// unpinned are the versions that lost it.
func pinned(serving []Serving, perValue int) (kept []Serving, unpinned []string) {
	wanted := slices.DeleteFunc(slices.Clone(serving), func(s Serving) bool { return len(s.Pins) == 0 })
	slices.SortStableFunc(wanted, func(a, b Serving) int {
		return cmp.Or(-cmp.Compare(tagged(a), tagged(b)), -cmp.Compare(a.Revision.Sequence, b.Revision.Sequence), -cmp.Compare(a.Revision.Number, b.Revision.Number))
	})
	left := maxMatches - perValue
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

func tagged(s Serving) int { return min(len(s.Pins), 2) }

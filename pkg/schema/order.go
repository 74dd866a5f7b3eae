package schema

import (
	"math/big"
	"slices"
)

// maxSafeInteger is JavaScript's Number.MAX_SAFE_INTEGER.
const maxSafeInteger = 1<<53 - 1

// orderGaps puts a change of type before the other gaps of its place, and leaves out the
// bounds of safe integers beside it: zod's int() brings both.
func orderGaps(gaps []gap) []gap {
	out := slices.Clone(gaps)
	typed := map[string]bool{}
	for _, g := range out {
		typed[g.path] = typed[g.path] || g.keyword == "type"
	}
	slices.SortStableFunc(out, func(a, b gap) int {
		switch {
		case a.path != b.path || (a.keyword == "type") == (b.keyword == "type"):
			return 0
		case a.keyword == "type":
			return -1
		}
		return 1
	})
	return slices.DeleteFunc(out, func(g gap) bool { return typed[g.path] && g.isSafeIntegerBound() })
}

func (g gap) isSafeIntegerBound() bool {
	if g.keyword != "minimum" && g.keyword != "maximum" {
		return false
	}
	limit := new(big.Rat).Abs(g.b.numberOf(g.keyword))
	return limit.Cmp(big.NewRat(maxSafeInteger, 1)) == 0
}

package schema

import (
	"fmt"
	"slices"
)

// MaxChain is the longest chain of transformers.
const MaxChain = 10

// Hop is a transformer: it lets one version serve the callers of another.
type Hop struct{ From, To string }

// Chain holds the versions of a handler, oldest first, and their transformers.
// Requests go from version to version, so a transformer serves adjacent versions.
type Chain struct {
	Order []string
	Hops  []Hop
	// Identities are the steps that need no transformer.
	Identities []Hop
}

func (c Chain) hasHop(h Hop) bool {
	return slices.Contains(c.Hops, h) || slices.Contains(c.Identities, h)
}

// HopFault is a kind of fault of a transformer.
type HopFault uint8

// The kinds. A later version can resolve HopUnknown.
const (
	HopSound HopFault = iota
	HopTwice
	HopUnknown
	HopSkips
)

// Faults returns the fault of each transformer.
func (c Chain) Faults() []string {
	var out []string
	for i := range c.Hops {
		if kind, text := c.Fault(i); kind != HopSound {
			out = append(out, text)
		}
	}
	return out
}

// Fault returns the kind and description of one transformer's fault.
func (c Chain) Fault(i int) (HopFault, string) {
	h := c.Hops[i]
	from, to := slices.Index(c.Order, h.From), slices.Index(c.Order, h.To)
	switch {
	case slices.Contains(c.Hops[:i], h):
		return HopTwice, fmt.Sprintf("the transformer from %s to %s exists twice; remove one", h.From, h.To)
	case from < 0 || to < 0:
		return HopUnknown, fmt.Sprintf("the transformer from %s to %s names %s, which is not a version of the handler; its versions are %s", h.From, h.To, unknownVersion(h, from), listNames(c.Order))
	case from-to != 1 && to-from != 1:
		return HopSkips, fmt.Sprintf("the transformer from %s to %s skips %s; requests go from version to version, so record one for each step", h.From, h.To, listNames(c.versionsBetween(from, to)))
	}
	return HopSound, ""
}

func unknownVersion(h Hop, from int) string {
	if from < 0 {
		return h.From
	}
	return h.To
}

func (c Chain) versionsBetween(a, b int) []string {
	a, b = min(a, b), max(a, b)
	return c.Order[min(a+1, b):b]
}

// Covers reports whether transformers serve the callers of one version on another, and
// otherwise returns what is missing.
func (c Chain) Covers(callers, version string) (bool, string) {
	i, j := slices.Index(c.Order, callers), slices.Index(c.Order, version)
	if i < 0 || j < 0 {
		return false, fmt.Sprintf("%s or %s is not a version of the handler", callers, version)
	}
	step, hops := 1, j-i
	if i > j {
		step, hops = -1, i-j
	}
	if hops > MaxChain {
		return false, fmt.Sprintf("%s and %s are %d versions apart; at most %d transformers may follow each other", c.Order[min(i, j)], c.Order[max(i, j)], hops, MaxChain)
	}
	for ; i != j; i += step {
		if h := (Hop{c.Order[i], c.Order[i+step]}); !c.hasHop(h) {
			return false, fmt.Sprintf("there is no transformer from %s to %s", h.From, h.To)
		}
	}
	return true, ""
}

func listNames(names []string) string {
	const most = 5
	out := ""
	for i, name := range names {
		if i == most {
			return out + fmt.Sprintf(" and %d more", len(names)-most)
		}
		if i > 0 {
			out += ", "
		}
		out += name
	}
	return out
}

// Follows reports whether two versions are adjacent, in either direction.
func (c Chain) Follows(a, b string) bool {
	i, j := slices.Index(c.Order, a), slices.Index(c.Order, b)
	return i >= 0 && j >= 0 && (i-j == 1 || j-i == 1)
}

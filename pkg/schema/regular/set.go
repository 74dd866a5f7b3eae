package regular

import (
	"slices"
	"unicode"
)

// span is a range of characters, both ends included.
type span struct{ low, high rune }

// set is a set of characters: sorted spans that neither overlap nor touch. Surrogates are in
// none, because no string of JSON that was decoded holds one.
type set []span

var (
	everything = newSet(span{0, unicode.MaxRune})
	digits     = newSet(span{'0', '9'})
	wordRunes  = newSet(span{'0', '9'}, span{'A', 'Z'}, span{'_', '_'}, span{'a', 'z'})
	// spaces are ECMA-262's WhiteSpace and LineTerminator.
	spaces = newSet(span{'\t', '\r'}, span{' ', ' '}, span{0xa0, 0xa0}, span{0x1680, 0x1680}, span{0x2000, 0x200a},
		span{0x2028, 0x2029}, span{0x202f, 0x202f}, span{0x205f, 0x205f}, span{0x3000, 0x3000}, span{0xfeff, 0xfeff})
	lineEnds = newSet(span{'\n', '\n'}, span{'\r', '\r'}, span{0x2028, 0x2029})
)

const (
	firstSurrogate = 0xd800
	lastSurrogate  = 0xdfff
)

// newSet returns the set of some spans in any order.
func newSet(of ...span) set {
	var cut []span
	for _, s := range of {
		if s.low < firstSurrogate {
			cut = append(cut, span{s.low, min(s.high, firstSurrogate-1)})
		}
		if s.high > lastSurrogate {
			cut = append(cut, span{max(s.low, lastSurrogate+1), s.high})
		}
	}
	slices.SortFunc(cut, func(a, b span) int { return int(a.low - b.low) })
	var out set
	for _, s := range cut {
		if n := len(out); n > 0 && s.low <= out[n-1].high+1 {
			out[n-1].high = max(out[n-1].high, s.high)
			continue
		}
		out = append(out, s)
	}
	return out
}

func (s set) union(other set) set { return newSet(append(slices.Clone(s), other...)...) }

// complement returns all other characters.
func (s set) complement() set {
	var out []span
	next := rune(0)
	for _, x := range s {
		if x.low > next {
			out = append(out, span{next, x.low - 1})
		}
		next = x.high + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, span{next, unicode.MaxRune})
	}
	return newSet(out...)
}

func (s set) contains(r rune) bool {
	_, found := slices.BinarySearchFunc(s, r, func(x span, r rune) int {
		switch {
		case x.high < r:
			return -1
		case x.low > r:
			return 1
		}
		return 0
	})
	return found
}

// tableSet returns the characters of a table of package unicode.
func tableSet(t *unicode.RangeTable) set {
	var of []span
	add := func(low, high, stride rune) {
		if stride == 1 {
			of = append(of, span{low, high})
			return
		}
		for r := low; r <= high; r += stride {
			of = append(of, span{r, r})
		}
	}
	for _, r := range t.R16 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range t.R32 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	return newSet(of...)
}

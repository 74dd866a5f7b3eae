package schema

import (
	"slices"
	"unicode/utf8"
)

func length(s string) int { return utf8.RuneCountInString(s) }

// lengths are the least and the most characters, items or properties that the
// atoms of a state leave.
func (st *state) lengths(least, most op) (low, high int) {
	high = none
	for _, a := range st.atoms {
		switch a.op {
		case least:
			low = max(low, a.n)
		case most:
			if high == none || a.n < high {
				high = a.n
			}
		}
	}
	return low, high
}

// contradictory tells that a pattern or a format is both wanted and not.
func contradictory(st *state) bool {
	for _, a := range st.atoms {
		switch a.op {
		case opNoPattern:
			if a.pattern.text == "" || st.any(func(b atom) bool { return b.op == opPattern && b.pattern.text == a.pattern.text }) {
				return true
			}
		case opNoFormat:
			if st.any(func(b atom) bool { return b.op == opFormat && implied(b.text, a.text) }) {
				return true
			}
		}
	}
	return false
}

func (st *state) any(is func(atom) bool) bool {
	for _, a := range st.atoms {
		if is(a) {
			return true
		}
	}
	return false
}

// implied tells whether what has the first format has the second.
func implied(narrow, wide string) bool {
	if narrow == wide {
		return true
	}
	for _, name := range wider[narrow] {
		if name == wide {
			return true
		}
	}
	return false
}

// maxWitness is how long a text or a list may be that is made up to show a
// difference.
const maxWitness = 4096

func stringLeaf(st *state, g goal) result {
	low, high := st.lengths(opMinLen, opMaxLen)
	if high != none && low > high || contradictory(st) {
		return proven
	}
	if all, finite := st.language(); finite {
		return st.exact(g.pick(slices.Values(all)))
	}
	if low > maxWitness {
		return unsure
	}
	for text := range candidates(st, low, high) {
		if st.fits(text) && g.passes(text) {
			return found(text)
		}
	}
	return unsure
}

// language are all texts that the state can have, if patterns or the length
// leave only a few.
func (st *state) language() ([]any, bool) {
	if _, high := st.lengths(opMinLen, opMaxLen); high == 0 {
		return []any{""}, true
	}
	for _, a := range st.atoms {
		if a.op == opPattern {
			if all, finite := enumerate(a.pattern.text); finite {
				return values(all), true
			}
		}
	}
	return nil, false
}

func values(texts []string) []any {
	out := make([]any, len(texts))
	for i := range texts {
		out[i] = texts[i]
	}
	return out
}

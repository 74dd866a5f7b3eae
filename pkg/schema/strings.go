package schema

import (
	"slices"
	"strconv"
	"strings"
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
	for _, text := range candidates(st, low, high) {
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

// candidates are texts that may pass: of the formats and patterns that are
// wanted, of those that are not, and plain ones, at the bounds of the length.
func candidates(st *state, low, high int) []string {
	var seeds []string
	excluded := 0
	for _, a := range st.atoms {
		switch a.op {
		case opFormat:
			seeds = append(seeds, formats[a.text].examples...)
		case opPattern, opNoPattern:
			seeds = append(seeds, samples(a.pattern.text)...)
		case opNoneOf:
			excluded += len(a.values)
		}
	}
	for _, a := range st.atoms { // what is wanted and a little more
		if a.op == opPattern && len(seeds) < 200 {
			for _, s := range samples(a.pattern.text) {
				seeds = append(seeds, s+"!", "!"+s, s+s, strings.ToUpper(s))
			}
		}
	}
	seeds = append(seeds, "a", "b", "other", "0", "", "A", " ", "-", "_", "é", "\n", "aa", "z9", "x-1")
	for i := 0; i <= excluded && i < maxTried; i++ {
		seeds = append(seeds, "a"+strconv.Itoa(i), name(i))
	}
	out := make([]string, 0, 2*len(seeds))
	for _, s := range seeds {
		out = append(out, stretch(s, low, high)...)
	}
	return out
}

// stretch brings a text to a length within the bounds, if it can.
func stretch(s string, low, high int) []string {
	n := length(s)
	if high != none && n > high {
		return []string{string([]rune(s)[:high])}
	}
	if n >= low {
		return []string{s}
	}
	fill := strings.Repeat("a", low-n)
	out := []string{s + fill, fill + s, s + strings.Repeat("0", low-n)}
	if s != "" {
		last, _ := utf8.DecodeLastRuneInString(s)
		first, _ := utf8.DecodeRuneInString(s)
		out = append(out, s+strings.Repeat(string(last), low-n), strings.Repeat(string(first), low-n)+s)
	}
	return out
}

// name makes up short names: a, b, … z, aa, …
func name(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return name(i/26-1) + string(rune('a'+i%26))
}

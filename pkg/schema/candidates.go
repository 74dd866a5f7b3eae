package schema

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// candidates yields texts that may pass: of the formats and patterns that are
// wanted, of those that are not, and plain ones, at the bounds of the length. Most
// often the first will do, so none is made before it is asked for.
func candidates(st *state, low, high int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for seed := range seeds(st) {
			if !stretch(seed, low, high, yield) {
				return
			}
		}
	}
}

// seeds yields the candidates of any length.
func seeds(st *state) iter.Seq[string] {
	return func(yield func(string) bool) {
		_ = special(st, yield) && varied(st, yield) && everyday(st, yield)
	}
}

// all yields texts, and tells whether more are wanted.
func all(texts []string, yield func(string) bool) bool {
	return !slices.ContainsFunc(texts, func(s string) bool { return !yield(s) })
}

// special yields texts of the formats and patterns that a state speaks of.
func special(st *state, yield func(string) bool) bool {
	for _, a := range st.atoms {
		var texts []string
		switch a.op {
		case opFormat:
			texts = formats[a.text].examples
		case opPattern, opNoPattern:
			texts = samples(a.pattern.text)
		}
		if !all(texts, yield) {
			return false
		}
	}
	return true
}

// maxVaried is of how many patterns the texts are varied.
const maxVaried = 4

// varied yields what is wanted and a little more.
func varied(st *state, yield func(string) bool) bool {
	patterns := 0
	for _, a := range st.atoms {
		if a.op != opPattern {
			continue
		}
		if patterns++; patterns > maxVaried {
			break
		}
		for _, s := range samples(a.pattern.text) {
			if !yield(s+"!") || !yield("!"+s) || !yield(s+s) || !yield(strings.ToUpper(s)) {
				return false
			}
		}
	}
	return true
}

// ordinary texts are tried of every string.
var ordinary = []string{"a", "b", "other", "0", "", "A", " ", "-", "_", "é", "\n", "aa", "z9", "x-1"}

// everyday yields ordinary texts, and more of them than are excluded.
func everyday(st *state, yield func(string) bool) bool {
	if !all(ordinary, yield) {
		return false
	}
	excluded := 0
	for _, a := range st.atoms {
		if a.op == opNoneOf {
			excluded += len(a.values)
		}
	}
	for i := 0; i <= excluded && i < maxTried; i++ {
		if !yield("a"+strconv.Itoa(i)) || !yield(name(i)) {
			return false
		}
	}
	return true
}

// stretch brings a text to a length within the bounds, if it can, and yields it. It
// tells whether more is wanted.
func stretch(s string, low, high int, yield func(string) bool) bool {
	n := length(s)
	if high != none && n > high {
		return yield(string([]rune(s)[:high]))
	}
	if n >= low {
		return yield(s)
	}
	fill := strings.Repeat("a", low-n)
	if !yield(s+fill) || !yield(fill+s) || !yield(s+strings.Repeat("0", low-n)) {
		return false
	}
	if s == "" {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(s)
	first, _ := utf8.DecodeRuneInString(s)
	return yield(s+strings.Repeat(string(last), low-n)) && yield(strings.Repeat(string(first), low-n)+s)
}

// name makes up short names: a, b, … z, aa, …
func name(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return name(i/26-1) + string(rune('a'+i%26))
}

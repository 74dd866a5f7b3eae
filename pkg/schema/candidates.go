package schema

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gati.dev/gati/pkg/schema/formats"
)

// candidates yields strings that may pass, at the bounds of the length. They are
// made lazily: most often the first one passes.
func candidates(st *state, low, high int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for seed := range seedCandidates(st) {
			if !stretchText(seed, low, high, yield) {
				return
			}
		}
	}
}

// seedCandidates yields candidates before their length is adjusted.
func seedCandidates(st *state) iter.Seq[string] {
	return func(yield func(string) bool) {
		_ = yieldSpecial(st, yield) && yieldOrdinary(st, yield)
	}
}

// yieldAll reports whether the consumer wants more.
func yieldAll(texts []string, yield func(string) bool) bool {
	return !slices.ContainsFunc(texts, func(s string) bool { return !yield(s) })
}

// yieldSpecial yields examples of the formats of a state.
func yieldSpecial(st *state, yield func(string) bool) bool {
	for _, a := range st.atoms {
		var texts []string
		switch a.op {
		case opFormat, opNoFormat:
			texts = formats.Examples(a.text)
		}
		if !yieldAll(texts, yield) {
			return false
		}
	}
	return true
}

// ordinaryTexts are tried for every string.
var ordinaryTexts = []string{"a", "b", "other", "0", "", "A", " ", "-", "_", "é", "\n", "aa", "z9", "x-1"}

// yieldOrdinary yields ordinary strings, always more of them than are excluded.
func yieldOrdinary(st *state, yield func(string) bool) bool {
	if !yieldAll(ordinaryTexts, yield) {
		return false
	}
	excluded := 0
	for _, a := range st.atoms {
		if a.op == opNoneOf {
			excluded += len(a.values)
		}
	}
	for i := 0; i <= excluded && i < maxCandidates; i++ {
		if !yield("a"+strconv.Itoa(i)) || !yield(shortName(i)) {
			return false
		}
	}
	return true
}

// stretchText adjusts a string to the bounds of the length and yields it. It reports
// whether the consumer wants more.
func stretchText(s string, low, high int, yield func(string) bool) bool {
	n := textLength(s)
	if high != unlimited && n > high {
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

// shortName returns a, b, … z, aa, …
func shortName(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return shortName(i/26-1) + string(rune('a'+i%26))
}

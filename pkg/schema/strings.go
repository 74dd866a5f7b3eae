package schema

import (
	"slices"
	"unicode/utf8"

	"gati.dev/gati/pkg/schema/formats"
	"gati.dev/gati/pkg/schema/regular"
)

func textLength(s string) int { return utf8.RuneCountInString(s) }

// sizeBounds returns the least and greatest size that the atoms allow.
func (st *state) sizeBounds(least, most operator) (low, high int) {
	high = unlimited
	for _, a := range st.atoms {
		switch a.op {
		case least:
			low = max(low, a.n)
		case most:
			if high == unlimited || a.n < high {
				high = a.n
			}
		}
	}
	return low, high
}

// isContradictory reports whether a pattern or a format is both demanded and
// excluded.
func isContradictory(st *state) bool {
	for _, a := range st.atoms {
		switch a.op {
		case opNoPattern:
			if a.pattern.text == "" || st.hasAtom(func(b atom) bool { return b.op == opPattern && b.pattern.text == a.pattern.text }) {
				return true
			}
		case opNoFormat:
			if st.hasAtom(func(b atom) bool { return b.op == opFormat && formats.Implies(b.text, a.text) }) {
				return true
			}
		}
	}
	return false
}

func (st *state) hasAtom(is func(atom) bool) bool {
	for _, a := range st.atoms {
		if is(a) {
			return true
		}
	}
	return false
}

// maxWitnessLength is the longest string or list that is constructed.
const maxWitnessLength = 4096

func solveString(st *state, g goal) result {
	low, high := st.sizeBounds(opMinLen, opMaxLen)
	if high != unlimited && low > high || isContradictory(st) {
		return proven
	}
	if all, finite := st.fewTexts(); finite {
		return st.exactResult(g.pickValue(slices.Values(all)))
	}
	if low <= maxWitnessLength {
		for text := range candidates(st, low, high) {
			if !st.spend(1 + len(text)/bytesPerUnit) {
				return unsure
			}
			if st.passesAtoms(text) && g.isMetBy(text) {
				return foundValue(text)
			}
		}
	}
	return solvePatterns(st, low, high, g)
}

// maxWords is the most strings of the patterns that are tried, each in four forms: the words are
// the shortest alone, and other conditions may want longer ones.
const maxWords = 16

// solvePatterns decides what patterns, excluded values and the length leave together. Other
// conditions only make that less, so nothing that is left is a proof.
func solvePatterns(st *state, low, high int, g goal) result {
	if !st.hasAtom(func(a atom) bool { return a.op == opPattern || a.op == opNoPattern }) {
		return unsure
	}
	language := regular.NewLanguage(st.spend)
	for _, a := range st.atoms {
		switch a.op {
		case opPattern, opNoPattern:
			language.Match(a.pattern.read, a.op == opNoPattern)
		case opNoneOf:
			language.Exclude(a.excludedTexts())
		}
	}
	if _, answer := language.Words(1); answer == regular.None {
		return proven
	}
	language.Lengths(low, high) // by itself, because each length is a state
	words, answer := language.Words(maxWords)
	for _, word := range words {
		for _, text := range []string{word, word + "!", "!" + word, word + word} {
			if st.passesAtoms(text) && g.isMetBy(text) {
				return foundValue(text)
			}
		}
	}
	if answer == regular.None {
		return proven
	}
	return unsure
}

// excludedTexts returns the strings among the values that an atom excludes.
func (a atom) excludedTexts() []string {
	values := a.values
	if a.node != nil {
		values = a.node.enum
	}
	var out []string
	for _, v := range values {
		if text, is := v.(string); is {
			out = append(out, text)
		}
	}
	return out
}

// fewTexts returns all strings that patterns or the length allow, if they are few.
func (st *state) fewTexts() ([]any, bool) {
	if _, high := st.sizeBounds(opMinLen, opMaxLen); high == 0 {
		return []any{""}, true
	}
	for _, a := range st.atoms {
		if a.op == opPattern && a.pattern.re != nil && st.spend(a.pattern.weight/4) {
			if all, finite := enumerateTexts(a.pattern.translated); finite {
				return textValues(all), true
			}
		}
	}
	return nil, false
}

func textValues(texts []string) []any {
	out := make([]any, len(texts))
	for i := range texts {
		out[i] = texts[i]
	}
	return out
}

package schema

import (
	"fmt"
	"regexp"
	"regexp/syntax"

	"gati.dev/gati/pkg/schema/regular"
)

// pattern is a regular expression of a schema in JavaScript's dialect, matched in linear
// time by Go or by a walk.
type pattern struct {
	text string
	read *regular.Pattern
	// translated means the same to Go, and re is made of it; unset for look-ahead.
	translated string
	re         *regexp.Regexp
	weight     int // in steps
	states     int // in which a match may be at once
	// beyond names what cannot be matched in linear time, if anything. What such a pattern
	// matches is unknown.
	beyond string
}

// The work of one match is the length times the states, in the worst case. Go matches
// short texts by backtracking, which takes a quarter of the time.
const (
	matchedPerUnit     = 8
	backtrackedPerUnit = 32
	maxBacktracked     = 1 << 17
	// statesPerByte is the cost of a character in any pattern.
	statesPerByte = 8
)

// matches reports whether a pattern matches. It begins no match that the meter cannot
// pay for. A pattern beyond linear time is guessed (guess.go).
func (p *pattern) matches(m *meter, text string) bool {
	if p.beyond != "" {
		return m.guess(p, text)
	}
	if p.re != nil {
		return m.spend(p.matchUnits(len(text))) && p.re.MatchString(text)
	}
	language := regular.NewLanguage(m.spend)
	language.Match(p.read, false)
	matches, known := language.Has(text)
	return matches && known
}

// mayMatch reports whether a pattern matches, or may.
func (p *pattern) mayMatch(m *meter, text string) bool { return p.beyond != "" || p.matches(m, text) }

func (p *pattern) matchUnits(length int) int {
	work := (length + 1) * (p.states + statesPerByte)
	if work <= maxBacktracked {
		return 1 + work/backtrackedPerUnit
	}
	return work / matchedPerUnit
}

// newPattern reads a pattern of ECMA-262, and compiles it for Go where Go can say it.
func newPattern(text string) (*pattern, error) {
	read, err := regular.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("is a pattern that %w", err)
	}
	p := &pattern{text: text, read: read, weight: read.Steps(), states: read.Steps(), beyond: read.Beyond()}
	if p.weight > maxPattern {
		return nil, fmt.Errorf("is a pattern that unfolds to %d steps; at most %d: use smaller repetitions, or minLength and maxLength", p.weight, maxPattern)
	}
	if translated, can := read.Go(); can {
		return p, p.compile(translated)
	}
	return p, nil
}

// uncheckedNote returns the note for a pattern of which comparisons know nothing.
func (p *pattern) uncheckedNote(at string) Note {
	return Note{at, fmt.Sprintf("has %s, which cannot be checked in linear time: a comparison that depends on it is undecided and counts as breaking; write the pattern without, or keep it as it is in every version", p.beyond)}
}

func (p *pattern) compile(translated string) (err error) {
	p.translated = translated
	if p.re, err = regexp.Compile(translated); err != nil {
		return fmt.Errorf("is a pattern that repeats a part more than 1000 times; use minLength and maxLength: %w", err)
	}
	tree, err := syntax.Parse(translated, syntax.Perl)
	if err != nil {
		return fmt.Errorf("is not a pattern: %w", err)
	}
	p.states = countStates(tree)
	return nil
}

// countStates counts the steps of a pattern with a class of characters as one.
func countStates(re *syntax.Regexp) int {
	sum := 1
	if re.Op == syntax.OpLiteral {
		sum = len(re.Rune)
	}
	for _, sub := range re.Sub {
		sum += countStates(sub)
	}
	if re.Op == syntax.OpRepeat {
		sum *= max(re.Min, re.Max, 1)
	}
	return sum
}

package schema

import (
	"fmt"
	"regexp"
	"regexp/syntax"
)

// pattern is a regular expression of a schema: the part of JavaScript's dialect that
// Go matches in linear time.
type pattern struct {
	text   string
	weight int // in steps
	states int // in which a match may be at once
	re     *regexp.Regexp
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
// pay for.
func (p *pattern) matches(m *meter, text string) bool {
	return m.spend(p.matchUnits(len(text))) && p.re.MatchString(text)
}

func (p *pattern) matchUnits(length int) int {
	work := (length + 1) * (p.states + statesPerByte)
	if work <= maxBacktracked {
		return 1 + work/backtrackedPerUnit
	}
	return work / matchedPerUnit
}

// sampleTexts returns some strings that the pattern matches.
func (p *pattern) sampleTexts(m *meter) []string {
	if !m.spend(1 + p.weight) {
		return nil
	}
	out := sampleTexts(p.text)
	for _, s := range out {
		m.spend(len(s) / bytesPerUnit)
	}
	return out
}

// newPattern compiles a pattern.
func newPattern(text string) (*pattern, error) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("is not a pattern that can be checked in linear time: %s; write it without look-ahead, look-behind and back references", parseErrorText(err))
	}
	weight := patternSteps(tree)
	if weight > maxPattern {
		return nil, fmt.Errorf("is a pattern that unfolds to %d steps; at most %d: use smaller repetitions, or minLength and maxLength", weight, maxPattern)
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("is not a pattern: %w", err)
	}
	return &pattern{text, weight, countStates(tree), re}, nil
}

func parseErrorText(err error) string {
	if e, ok := err.(*syntax.Error); ok { //nolint:errorlint // the parser wraps nothing
		return fmt.Sprintf("%s in %q", e.Code, e.Expr)
	}
	return err.Error()
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

// patternSteps counts the steps that a pattern compiles to, with its repetitions
// unfolded. It saturates far above the limit.
func patternSteps(re *syntax.Regexp) int {
	sum := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		sum += patternSteps(sub)
	}
	if re.Op == syntax.OpRepeat {
		sum *= max(re.Min, re.Max, 1)
	}
	return min(sum, 1<<30/1001)
}

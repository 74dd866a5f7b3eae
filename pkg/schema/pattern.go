package schema

import (
	"fmt"
	"regexp"
	"regexp/syntax"
)

// pattern is a regular expression of a schema: the part of JavaScript's dialect that
// Go matches in linear time.
type pattern struct {
	text string
	*regexp.Regexp
}

// newPattern compiles a pattern and returns its weight in steps.
func newPattern(text string) (*pattern, int, error) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, 0, fmt.Errorf("is not a pattern that can be checked in linear time: %s; write it without look-ahead, look-behind and back references", parseErrorText(err))
	}
	weight := patternSteps(tree)
	if weight > maxPattern {
		return nil, 0, fmt.Errorf("is a pattern that unfolds to %d steps; at most %d: use smaller repetitions, or minLength and maxLength", weight, maxPattern)
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, 0, fmt.Errorf("is not a pattern: %w", err)
	}
	return &pattern{text, re}, weight, nil
}

func parseErrorText(err error) string {
	if e, ok := err.(*syntax.Error); ok { //nolint:errorlint // the parser wraps nothing
		return fmt.Sprintf("%s in %q", e.Code, e.Expr)
	}
	return err.Error()
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

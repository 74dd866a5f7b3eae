package schema

import (
	"encoding/json"
	"math/big"
	"strings"
)

func describeValue(v any) string {
	switch x := v.(type) {
	case nil:
		return "null"
	case bool:
		return map[bool]string{true: "true", false: "false"}[x]
	case string:
		return truncateText(quoteText(x))
	case json.Number:
		return truncateText(x.String())
	case []any:
		if len(x) == 0 {
			return "an empty list"
		}
		return "a list"
	}
	return "an object"
}

func readType(b *builder, n *node, v any, at string, _ int) {
	names, ok := v.([]any)
	if !ok {
		names = []any{v}
	}
	var types kindSet
	seen := map[any]bool{}
	for _, name := range names {
		text, isText := name.(string)
		set, known := kindsOfType(text)
		if !isText || !known || seen[name] {
			b.addProblem(at, "holds %s; a type must be one of string, number, integer, boolean, object, array and null, each named once", describeValue(name))
			return
		}
		seen[name] = true
		types |= set
	}
	if len(names) == 0 {
		b.addProblem(at, "is an empty list; name at least one type, or leave it out for any")
	}
	n.types = types
}

func readEnum(b *builder, n *node, v any, at string, _ int) {
	list, ok := v.([]any)
	if !ok {
		b.addProblem(at, "is %s; it must be a list of values", describeValue(v))
		return
	}
	values := b.readValue(list, at).([]any)
	if n.enum == nil {
		n.enum = distinctValues(values)
		return
	}
	// Beside const both must hold.
	n.enum = commonValues(n.enum, values)
}

func readConst(b *builder, n *node, v any, at string, _ int) {
	x := b.readValue(v, at)
	n.isConst = true
	n.enum = []any{x}
}

// readValue reads the values of a keyword.
func (b *builder) readValue(v any, at string) any {
	x, err := exactValue(v)
	if err != nil {
		b.addProblem(at, "%s", err)
		if _, list := v.([]any); list {
			return []any{}
		}
	}
	return x
}

func readDefault(b *builder, n *node, v any, at string, _ int) {
	n.defaultValue, n.hasDefault = b.readValue(v, at), true
}

func readExamples(b *builder, _ *node, v any, at string, _ int) {
	if _, ok := v.([]any); !ok {
		b.addProblem(at, "is %s; it must be a list", describeValue(v))
	}
}

func readAnnotation(b *builder, _ *node, v any, at string, _ int) {
	if _, ok := v.(string); !ok {
		b.addProblem(at, "is %s; it must be a string", describeValue(v))
	}
}

func booleanKeyword(set func(*node, bool)) keywordReader {
	return func(b *builder, n *node, v any, at string, _ int) {
		yes, ok := v.(bool)
		if !ok {
			b.addProblem(at, "is %s; it must be true or false", describeValue(v))
		}
		set(n, yes)
	}
}

// countKeyword returns the reader of a keyword that bounds a size.
func countKeyword(field func(*node) *int) keywordReader {
	return func(b *builder, n *node, v any, at string, _ int) {
		r := b.readNumber(v, at)
		if r == nil {
			return
		}
		if !r.IsInt() || r.Sign() < 0 {
			b.addProblem(at, "is %s; it must be a whole number that is not negative", describeValue(v))
			return
		}
		if r.Cmp(big.NewRat(maxCount, 1)) > 0 {
			b.addProblem(at, "is %s; it must be at most %d, which no document reaches", describeValue(v), maxCount)
			return
		}
		*field(n) = int(r.Num().Int64())
	}
}

// readNumber returns a number, or nil after adding a problem.
func (b *builder) readNumber(v any, at string) *big.Rat {
	text, ok := v.(json.Number)
	if !ok {
		b.addProblem(at, "is %s; it must be a number", describeValue(v))
		return nil
	}
	r, err := exactNumber(text)
	if err != nil {
		b.addProblem(at, "%s", err)
		return nil
	}
	return r
}

func numberKeyword(field func(*node) **big.Rat) keywordReader {
	return func(b *builder, n *node, v any, at string, _ int) {
		*field(n) = b.readNumber(v, at)
	}
}

func readMultipleOf(b *builder, n *node, v any, at string, _ int) {
	r := b.readNumber(v, at)
	if r != nil && r.Sign() <= 0 {
		b.addProblem(at, "is %s; it must be more than 0", describeValue(v))
		return
	}
	n.multipleOf = r
}

func readPattern(b *builder, n *node, v any, at string, _ int) {
	if text, ok := v.(string); ok {
		n.pattern = b.compilePattern(text, at)
		return
	}
	b.addProblem(at, "is %s; it must be a regular expression", describeValue(v))
}

// compilePattern compiles a pattern within the limit for all patterns of a document.
func (b *builder) compilePattern(text, at string) *pattern {
	p, err := newPattern(text)
	if err != nil {
		b.addProblem(at, "%s", err)
		return nil
	}
	if b.patternWeight += p.weight; b.patternWeight > maxPatterns {
		b.addProblem(at, "is one pattern too many: those of a schema may unfold to %d steps together", maxPatterns)
		return nil
	}
	if p.beyond != "" {
		b.unchecked = append(b.unchecked, p.uncheckedNote(at))
	}
	return p
}

func readFormat(b *builder, n *node, v any, at string, _ int) {
	text, ok := v.(string)
	if !ok {
		b.addProblem(at, "is %s; it must be the name of a format", describeValue(v))
	}
	n.format = strings.Clone(text)
}

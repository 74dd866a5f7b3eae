package schema

import (
	"encoding/json"
	"math/big"
	"strings"
)

// told says what a value is, for a sentence.
func told(v any) string {
	switch x := v.(type) {
	case nil:
		return "null"
	case bool:
		return map[bool]string{true: "true", false: "false"}[x]
	case string:
		return clip(quoted(x))
	case json.Number:
		return clip(x.String())
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
		set, known := setOf(text)
		if !isText || !known || seen[name] {
			b.fault(at, "holds %s; a type must be one of string, number, integer, boolean, object, array and null, each named once", told(name))
			return
		}
		seen[name] = true
		types |= set
	}
	if len(names) == 0 {
		b.fault(at, "is an empty list; name at least one type, or leave it out for any")
	}
	n.types = types
}

func readEnum(b *builder, n *node, v any, at string, _ int) {
	list, ok := v.([]any)
	if !ok {
		b.fault(at, "is %s; it must be a list of values", told(v))
		return
	}
	values := b.exact(list, at).([]any)
	if n.values == nil {
		n.values = distinct(values)
		return
	}
	// const stands beside it: both must hold.
	n.values = common(n.values, values)
}

func readConst(b *builder, n *node, v any, at string, _ int) {
	x := b.exact(v, at)
	n.isConst = true
	n.values = []any{x}
}

// exact reads the values of a keyword.
func (b *builder) exact(v any, at string) any {
	x, err := value(v)
	if err != nil {
		b.fault(at, "%s", err)
		if _, list := v.([]any); list {
			return []any{}
		}
	}
	return x
}

func readDefault(b *builder, n *node, v any, at string, _ int) {
	n.preset, n.hasPreset = b.exact(v, at), true
}

func readExamples(b *builder, _ *node, v any, at string, _ int) {
	if _, ok := v.([]any); !ok {
		b.fault(at, "is %s; it must be a list", told(v))
	}
}

func annotation(b *builder, _ *node, v any, at string, _ int) {
	if _, ok := v.(string); !ok {
		b.fault(at, "is %s; it must be a text", told(v))
	}
}

func boolean(set func(*node, bool)) reader {
	return func(b *builder, n *node, v any, at string, _ int) {
		yes, ok := v.(bool)
		if !ok {
			b.fault(at, "is %s; it must be true or false", told(v))
		}
		set(n, yes)
	}
}

// count reads a keyword that bounds a length or a number of things.
func count(field func(*node) *int) reader {
	return func(b *builder, n *node, v any, at string, _ int) {
		r := b.rat(v, at)
		if r == nil {
			return
		}
		if !r.IsInt() || r.Sign() < 0 {
			b.fault(at, "is %s; it must be a whole number that is not negative", told(v))
			return
		}
		if r.Cmp(big.NewRat(maxCount, 1)) > 0 {
			b.fault(at, "is %s; it must be at most %d, which no document reaches", told(v), maxCount)
			return
		}
		*field(n) = int(r.Num().Int64())
	}
}

// rat reads a number, nil with a problem told when it is none.
func (b *builder) rat(v any, at string) *big.Rat {
	text, ok := v.(json.Number)
	if !ok {
		b.fault(at, "is %s; it must be a number", told(v))
		return nil
	}
	r, err := number(text)
	if err != nil {
		b.fault(at, "%s", err)
		return nil
	}
	return r
}

func rational(field func(*node) **big.Rat) reader {
	return func(b *builder, n *node, v any, at string, _ int) {
		*field(n) = b.rat(v, at)
	}
}

func readMultipleOf(b *builder, n *node, v any, at string, _ int) {
	r := b.rat(v, at)
	if r != nil && r.Sign() <= 0 {
		b.fault(at, "is %s; it must be more than 0", told(v))
		return
	}
	n.multipleOf = r
}

func readPattern(b *builder, n *node, v any, at string, _ int) {
	if text, ok := v.(string); ok {
		n.pattern = b.pattern(text, at)
		return
	}
	b.fault(at, "is %s; it must be a regular expression", told(v))
}

// pattern compiles a pattern within what all patterns of a document may weigh.
func (b *builder) pattern(text, at string) *pattern {
	p, weight, err := newPattern(text)
	if err != nil {
		b.fault(at, "%s", err)
		return nil
	}
	if b.weight += weight; b.weight > maxPatterns {
		b.fault(at, "is one pattern too many: those of a schema may unfold to %d steps together", maxPatterns)
		return nil
	}
	return p
}

func readFormat(b *builder, n *node, v any, at string, _ int) {
	text, ok := v.(string)
	if !ok {
		b.fault(at, "is %s; it must be the name of a format", told(v))
	}
	n.format = strings.Clone(text)
}

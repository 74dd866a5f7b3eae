package schema

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

func kindOf(v any) kind {
	switch x := v.(type) {
	case nil:
		return kindNull
	case bool:
		return kindBoolean
	case *big.Rat:
		if x.IsInt() {
			return kindInteger
		}
		return kindFraction
	case string:
		return kindString
	case []any:
		return kindArray
	}
	return kindObject
}

// equalValues compares values as JSON Schema does: 1 and 1.0 are equal.
func equalValues(a, b any) bool {
	switch x := a.(type) {
	case *big.Rat:
		y, ok := b.(*big.Rat)
		return ok && x.Cmp(y) == 0
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !equalValues(x[i], y[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for name := range x {
			other, found := y[name]
			if !found || !equalValues(x[name], other) {
				return false
			}
		}
		return true
	}
	switch b.(type) {
	case *big.Rat, []any, map[string]any:
		return false
	}
	return a == b
}

func containsValue(list []any, v any) bool {
	for _, x := range list {
		if equalValues(x, v) {
			return true
		}
	}
	return false
}

// distinctValues drops repeated values. It compares canonical texts, since lists may
// be long.
func distinctValues(list []any) []any {
	seen := make(map[string]bool, len(list))
	out := make([]any, 0, len(list))
	for _, v := range list {
		if text := canonicalText(v); !seen[text] {
			seen[text] = true
			out = append(out, v)
		}
	}
	return out
}

func commonValues(a, b []any) []any {
	out := []any{}
	in := make(map[string]bool, len(b))
	for _, v := range b {
		in[canonicalText(v)] = true
	}
	for _, v := range distinctValues(a) {
		if in[canonicalText(v)] {
			out = append(out, v)
		}
	}
	return out
}

// canonicalText returns a text that is equal for equal values.
func canonicalText(v any) string { return string(appendCanonical(nil, v)) }

func appendCanonical(out []byte, v any) []byte {
	switch x := v.(type) {
	case nil:
		return append(out, "null"...)
	case bool:
		return strconv.AppendBool(out, x)
	case string:
		return appendText(out, x)
	case *big.Rat:
		return append(out, x.RatString()...)
	case []any:
		out = append(out, '[')
		for _, item := range x {
			out = append(appendCanonical(out, item), ',')
		}
		return append(out, ']')
	case map[string]any:
		out = append(out, '{')
		for _, name := range sortedKeys(x) {
			out = append(appendText(out, name), ':')
			out = append(appendCanonical(out, x[name]), ',')
		}
		return append(out, '}')
	}
	panic("schema: no JSON value")
}

func appendText(out []byte, s string) []byte {
	out = strconv.AppendInt(out, int64(len(s)), 10)
	out = append(out, '"')
	return append(out, s...)
}

// maxWitness bounds a document that shows a difference, as JSON in bytes. Values share their
// parts, so a small one may be a large text.
const maxWitness = 64 << 10

// renderWitness returns a document as JSON; nothing where it is larger than maxWitness.
func renderWitness(v any) json.RawMessage {
	m := &meter{remaining: maxWitness}
	if m.spendBytes(v); m.isExhausted() {
		return nil
	}
	if raw := renderJSON(v); len(raw) <= maxWitness {
		return raw
	}
	return nil
}

// renderJSON returns a value as JSON.
func renderJSON(v any) json.RawMessage {
	raw, err := json.Marshal(jsonValue(v))
	if err != nil {
		return nil // a value holds JSON types only
	}
	return raw
}

// jsonValue converts exact numbers to JSON's. All are finite decimals: schemas hold
// only those, and made-up values divide by two alone.
func jsonValue(v any) any {
	switch x := v.(type) {
	case *big.Rat:
		return json.Number(formatDecimal(x))
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = jsonValue(x[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(x))
		for name := range x {
			out[name] = jsonValue(x[name])
		}
		return out
	}
	return v
}

// formatDecimal formats a number with as many digits as it needs.
func formatDecimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	digits, _ := r.FloatPrec()
	return r.FloatString(digits)
}

// showValue formats a value for a message, shortened.
func showValue(v any) string { return truncateText(string(renderJSON(v))) }

func quoteText(s string) string { return strconv.Quote(s) }

// truncateText shortens a text for a message.
func truncateText(s string) string {
	const most = 60
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}

// showValues formats the first values of a list for a message.
func showValues(list []any) string {
	const most = 4
	texts := make([]string, 0, most+1)
	for i, v := range list {
		if i == most {
			texts = append(texts, strconv.Itoa(len(list)-most)+" more")
			break
		}
		texts = append(texts, showValue(v))
	}
	return strings.Join(texts, ", ")
}

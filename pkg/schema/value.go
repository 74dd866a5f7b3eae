package schema

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// kindOf tells the kind of a value.
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

// equal compares values as JSON Schema does: 1 and 1.0 are one number.
func equal(a, b any) bool {
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
			if !equal(x[i], y[i]) {
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
			if !found || !equal(x[name], other) {
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

func holds(list []any, v any) bool {
	for _, x := range list {
		if equal(x, v) {
			return true
		}
	}
	return false
}

// distinct drops repeated values. Their canonical texts are compared: lists may
// be long.
func distinct(list []any) []any {
	seen := make(map[string]bool, len(list))
	out := make([]any, 0, len(list))
	for _, v := range list {
		if text := canon(v); !seen[text] {
			seen[text] = true
			out = append(out, v)
		}
	}
	return out
}

func common(a, b []any) []any {
	out := []any{}
	in := make(map[string]bool, len(b))
	for _, v := range b {
		in[canon(v)] = true
	}
	for _, v := range distinct(a) {
		if in[canon(v)] {
			out = append(out, v)
		}
	}
	return out
}

// canon writes a value so that equal ones are written alike.
func canon(v any) string { return string(appendCanon(nil, v)) }

func appendCanon(out []byte, v any) []byte {
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
			out = append(appendCanon(out, item), ',')
		}
		return append(out, ']')
	case map[string]any:
		out = append(out, '{')
		for _, name := range sortedKeys(x) {
			out = append(appendText(out, name), ':')
			out = append(appendCanon(out, x[name]), ',')
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

// render writes a value as JSON.
func render(v any) json.RawMessage {
	raw, err := json.Marshal(plain(v))
	if err != nil {
		return nil // a value is made of what JSON has
	}
	return raw
}

// plain turns exact numbers into JSON's. All are finite decimals: schemas are
// written in such, and what is built from them divides by two alone.
func plain(v any) any {
	switch x := v.(type) {
	case *big.Rat:
		return json.Number(decimal(x))
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = plain(x[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(x))
		for name := range x {
			out[name] = plain(x[name])
		}
		return out
	}
	return v
}

// decimal writes a number with as many digits as it needs.
func decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	digits, _ := r.FloatPrec()
	return r.FloatString(digits)
}

// show writes a value for a sentence, shortened.
func show(v any) string { return clip(string(render(v))) }

// quoted writes a text for a sentence.
func quoted(s string) string { return strconv.Quote(s) }

// clip shortens a text for a sentence.
func clip(s string) string {
	const most = 60
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}

// showAll names values for a sentence.
func showAll(list []any) string {
	const most = 4
	texts := make([]string, 0, most+1)
	for i, v := range list {
		if i == most {
			texts = append(texts, strconv.Itoa(len(list)-most)+" more")
			break
		}
		texts = append(texts, show(v))
	}
	return strings.Join(texts, ", ")
}

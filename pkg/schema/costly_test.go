package schema

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"time"

	"gati.dev/gati/pkg/schema/formats"
)

// costlySource generates random parts of documents; left is how many more of them fit
// in one document.
type costlySource struct {
	*rand.Rand
	left int
}

// costlyText returns a string or a pattern that is expensive to match.
func costlyText(r *costlySource) string {
	letters := []string{"a", "ab", "é", "0", "/", "{a}", "a.", "((a{100}){9}){9}"}
	length := []int{1, 60, 1000, 4000, 15000}[r.IntN(5)]
	s := letters[r.IntN(len(letters))]
	s = strings.Repeat(s, 1+min(length, max(r.left, 0))/len(s))
	r.left -= len(s)
	return s
}

func costlyPattern(r *costlySource) string {
	repeat := 1 + r.IntN(300)
	return []string{
		fmt.Sprintf("(a?){%d}(a?){%d}b", repeat, repeat),
		fmt.Sprintf("(a|b|ab){%d}$", repeat),
		fmt.Sprintf("^(a+)+b{%d}$", repeat),
		fmt.Sprintf("(.*a){%d}", 1+repeat/4),
		fmt.Sprintf("[a-z].{%d}x", repeat),
		"^x" + fmt.Sprint(repeat), "^" + strings.Repeat("(a|b)", 1+repeat/60) + "$",
	}[r.IntN(7)]
}

// costlyNumber returns a number whose fractions have many digits.
func costlyNumber(r *costlySource) json.Number {
	return json.Number([]string{
		fmt.Sprintf("1.%d", 1+r.IntN(1<<30)), fmt.Sprintf("%d", 1+r.IntN(5000)),
		fmt.Sprintf("%d.%0*d1e-%d", 1+r.IntN(9), 1+r.IntN(50), 0, r.IntN(250)), fmt.Sprintf("%d.7e%d", 1+r.IntN(1<<20), r.IntN(300)),
	}[r.IntN(4)])
}

func costlyValue(r *costlySource, depth int) any {
	switch k := r.IntN(5); {
	case k == 0:
		return costlyNumber(r)
	case k == 1 && depth > 0:
		return repeated(r, 60, func(int) any { return costlyValue(r, depth-1) })
	case k == 2 && depth > 0:
		out := map[string]any{}
		for i := range 1 + r.IntN(40) {
			if r.left -= 12; r.left <= 0 {
				break
			}
			out[costlyText(r)[:1]+fmt.Sprint(i)] = costlyValue(r, depth-1)
		}
		return out
	}
	return costlyText(r)
}

func repeated(r *costlySource, most int, one func(int) any) []any {
	out := []any{one(0)}
	for i := 1; i < 1+r.IntN(most) || i < most/2; i++ {
		if r.left -= 12; r.left <= 0 {
			break
		}
		out = append(out, one(i))
	}
	return out
}

func named(r *costlySource, most int, name func(int) string, one func(int) any) map[string]any {
	out := map[string]any{}
	for i := range 1 + r.IntN(most) {
		if r.left -= 12; r.left <= 0 {
			break
		}
		out[name(i)] = one(i)
	}
	return out
}

func numbered(prefix string) func(int) string {
	return func(i int) string { return prefix + fmt.Sprint(i) }
}

type object = map[string]any

// costlyParts are schemas that are expensive by themselves. below makes the schemas
// inside; width is how many there may be.
var costlyParts = []func(r *costlySource, width int, below func() any) object{
	func(r *costlySource, _ int, _ func() any) object { return object{"const": costlyText(r)} },
	func(r *costlySource, _ int, _ func() any) object { return object{"const": costlyValue(r, 3)} },
	func(r *costlySource, w int, _ func() any) object {
		text := costlyText(r)
		return object{"enum": repeated(r, 4*w, func(i int) any { return text[:min(len(text), 60)] + fmt.Sprint(i) })}
	},
	func(r *costlySource, w int, _ func() any) object {
		return object{"enum": repeated(r, w, func(i int) any { return object{"a": i, "b": costlyNumber(r)} })}
	},
	func(r *costlySource, _ int, _ func() any) object { return object{"pattern": costlyPattern(r)} },
	func(r *costlySource, _ int, _ func() any) object {
		return object{"type": "string", "minLength": r.IntN(5000), "pattern": costlyPattern(r)}
	},
	func(r *costlySource, _ int, _ func() any) object {
		return object{"type": "string", "format": formats.Names()[r.IntN(len(formats.Names()))]}
	},
	func(r *costlySource, _ int, _ func() any) object { return object{"multipleOf": costlyNumber(r)} },
	func(r *costlySource, _ int, _ func() any) object {
		return object{"type": "number", "minimum": costlyNumber(r), "multipleOf": costlyNumber(r)}
	},
	func(r *costlySource, w int, _ func() any) object {
		return object{"required": repeated(r, w, func(i int) any { return fmt.Sprintf("p%d", i) })}
	},
	func(r *costlySource, w int, below func() any) object {
		return object{"type": "object", "properties": named(r, w, numbered("p"), func(int) any { return below() }), "additionalProperties": r.IntN(2) == 0}
	},
	func(r *costlySource, w int, below func() any) object {
		return object{"patternProperties": named(r, w, func(int) string { return costlyPattern(r) }, func(int) any { return below() })}
	},
	func(r *costlySource, w int, below func() any) object {
		return object{"patternProperties": named(r, w, numbered("^p"), func(int) any { return below() }), "unevaluatedProperties": below(), "minProperties": r.IntN(40)}
	},
	func(_ *costlySource, _ int, below func() any) object {
		return object{"propertyNames": below(), "minProperties": 3}
	},
	func(r *costlySource, w int, below func() any) object {
		return object{"dependentSchemas": named(r, w, numbered("p"), func(int) any { return below() }), "unevaluatedProperties": false}
	},
	func(r *costlySource, _ int, below func() any) object {
		return object{"type": "array", "minItems": r.IntN(4096), "uniqueItems": r.IntN(2) == 0, "items": below()}
	},
	func(r *costlySource, w int, below func() any) object {
		return object{"type": "array", "prefixItems": repeated(r, w, func(int) any { return below() }), "unevaluatedItems": below(), "minItems": r.IntN(w)}
	},
	func(r *costlySource, _ int, below func() any) object {
		return object{"type": "array", "contains": below(), "minContains": r.IntN(60), "maxContains": 60 + r.IntN(60)}
	},
	func(_ *costlySource, _ int, below func() any) object { return object{"not": below()} },
	func(_ *costlySource, _ int, below func() any) object {
		return object{"if": below(), "then": below(), "else": below()}
	},
	func(r *costlySource, w int, below func() any) object {
		return object{"allOf": repeated(r, w, func(int) any { return below() })}
	},
	func(r *costlySource, w int, below func() any) object {
		return object{"anyOf": repeated(r, w, func(int) any { return below() })}
	},
	func(r *costlySource, w int, below func() any) object {
		return object{"oneOf": repeated(r, w, func(int) any { return below() })}
	},
	func(r *costlySource, _ int, _ func() any) object {
		return object{"$ref": fmt.Sprintf("#/$defs/d%d", r.IntN(costlyDefs))}
	},
}

// costlyDefs is the number of schemas that others refer to.
const costlyDefs = 3

// costlyDocument is the recipe of a document: its random seed and its width.
type costlyDocument struct {
	seed  uint64
	width int
}

// schema returns the schema of a recipe, or nil when it exceeds the limits.
func (d costlyDocument) schema() *Schema {
	r := &costlySource{rand.New(rand.NewPCG(d.seed, 1)), MaxBytes / 4}
	var below func(depth, width int) any
	below = func(depth, width int) any {
		part := costlyParts[r.IntN(len(costlyParts))]
		if r.left -= 25; r.left <= 0 {
			return true
		}
		if depth == 0 {
			part = costlyParts[r.IntN(10)]
		}
		return part(r, max(width, 1), func() any { return below(max(depth-1, 0), width/4) })
	}
	defs := object{}
	for i := range costlyDefs {
		defs[fmt.Sprintf("d%d", i)] = below(0, d.width)
	}
	r.left = MaxBytes / 2
	raw, err := json.Marshal(object{"$defs": defs, "allOf": []any{below(3, d.width), below(2, d.width)}})
	if err != nil {
		panic(err)
	}
	s, err := Parse(raw)
	if err != nil {
		return nil
	}
	return s
}

// costlyPair is a pair of recipes, or of one recipe and a variation.
type costlyPair struct{ a, b costlyDocument }

func randomDocument(r *rand.Rand) costlyDocument {
	return costlyDocument{r.Uint64(), []int{4, 20, 100, 600, 2000}[r.IntN(5)]}
}

// vary returns a pair similar to p, or a new one.
func (p costlyPair) vary(r *rand.Rand) costlyPair {
	switch r.IntN(6) {
	case 0:
		return costlyPair{randomDocument(r), p.b}
	case 1:
		return costlyPair{p.a, randomDocument(r)}
	case 2:
		p.a.width = 1 + p.a.width*(1+r.IntN(4))/2
		return p
	case 3:
		p.b.width = 1 + p.b.width*(1+r.IntN(4))/2
		return p
	case 4:
		return costlyPair{p.b, p.a}
	}
	return costlyPair{randomDocument(r), randomDocument(r)}
}

// cost compares a pair in every mode and returns the CPU time.
func (p costlyPair) cost() (time.Duration, bool) {
	a, b := p.a.schema(), p.b.schema()
	if a == nil || b == nil {
		return 0, false
	}
	began := processorTime()
	Compatibility(Version{Input: a, Output: b}, Version{Input: b, Output: a}, Full)
	return processorTime() - began, true
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

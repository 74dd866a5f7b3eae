package schemas

import (
	"fmt"
	"math/rand"
)

// Free makes any schema at all from a small vocabulary, so that its parts meet:
// keywords that contradict each other, branches that overlap, references that
// come back.
func Free(r *rand.Rand) any {
	f := &free{Rand: r, defs: r.Intn(3)}
	s := f.schema(3)
	doc, ok := s.(Doc)
	if !ok {
		return s
	}
	if f.defs > 0 {
		defs := Doc{}
		for i := range f.defs {
			defs[fmt.Sprintf("d%d", i)] = f.schema(2)
		}
		doc["$defs"] = defs
	}
	return doc
}

type free struct {
	*rand.Rand
	defs int
}

func (f *free) schema(depth int) any {
	if f.Intn(12) == 0 {
		return f.Intn(3) > 0
	}
	s := Doc{}
	if f.Intn(3) > 0 {
		f.types(s)
	}
	for range 1 + f.Intn(3) {
		keyword := freeKeywords[f.Intn(len(freeKeywords))]
		if depth > 0 || !keyword.inner {
			keyword.put(f, s, depth-1)
		}
	}
	return s
}

func (f *free) types(s Doc) {
	name := pick(f.Rand, "string", "number", "integer", "object", "array", "object", "array")
	switch f.Intn(4) {
	case 0:
		s["type"] = List{name, "null"}
	case 1:
		s["type"] = pick(f.Rand, "boolean", "null", name)
	default:
		s["type"] = name
	}
}

type freeKeyword struct {
	inner bool
	put   func(f *free, s Doc, depth int)
}

func (f *free) name() string { return pick(f.Rand, "a", "b", "c", "xa", "xb") }

func (f *free) regexp() string { return pick(f.Rand, "^x", "a", "^[ab]$", "b$", "^(a|xb)$", "^.?$") }

func (f *free) list(depth int) List {
	out := make(List, 1+f.Intn(3))
	for i := range out {
		out[i] = f.schema(depth)
	}
	return out
}

func (f *free) names() List {
	out := List{}
	for _, i := range f.Perm(3)[:1+f.Intn(2)] {
		out = append(out, []string{"a", "b", "c"}[i])
	}
	return out
}

func (f *free) props(depth int) Doc {
	out := Doc{}
	for range 1 + f.Intn(3) {
		out[f.name()] = f.schema(depth)
	}
	return out
}

func small(keyword string) freeKeyword {
	return freeKeyword{put: func(f *free, s Doc, _ int) { s[keyword] = f.Intn(4) }}
}

func inner(keyword string) freeKeyword {
	return freeKeyword{true, func(f *free, s Doc, depth int) { s[keyword] = f.schema(depth) }}
}

func several(keyword string) freeKeyword {
	return freeKeyword{true, func(f *free, s Doc, depth int) { s[keyword] = f.list(depth) }}
}

var freeKeywords []freeKeyword

func init() {
	freeKeywords = []freeKeyword{
		small("minimum"), small("maximum"), small("exclusiveMinimum"), small("exclusiveMaximum"), small("minLength"), small("maxLength"),
		small("minItems"), small("maxItems"), small("minProperties"), small("maxProperties"),
		{put: func(f *free, s Doc, _ int) { s["multipleOf"] = pick[any](f.Rand, 1, 2, 3, 0.5) }},
		{put: func(f *free, s Doc, _ int) { s["pattern"] = f.regexp() }},
		{put: func(f *free, s Doc, _ int) {
			s["format"] = pick(f.Rand, "date", "ipv4", "email", "uri", "uri-reference")
		}},
		{put: func(f *free, s Doc, _ int) { s["uniqueItems"] = f.Intn(4) > 0 }},
		{put: func(f *free, s Doc, _ int) {
			list := List{}
			for range 1 + f.Intn(3) {
				list = append(list, f.value(1))
			}
			s["enum"] = list
		}},
		{put: func(f *free, s Doc, _ int) { s["const"] = f.value(1) }},
		{put: func(f *free, s Doc, _ int) { s["required"] = f.names() }}, {put: func(f *free, s Doc, _ int) { s["required"] = f.names() }},
		{put: func(f *free, s Doc, _ int) { s["dependentRequired"] = Doc{f.name(): f.names()} }},
		{true, func(f *free, s Doc, depth int) { s["properties"] = f.props(depth) }}, {true, func(f *free, s Doc, depth int) { s["properties"] = f.props(depth) }},
		{true, func(f *free, s Doc, depth int) { s["patternProperties"] = Doc{f.regexp(): f.schema(depth)} }},
		{true, func(f *free, s Doc, depth int) { s["dependentSchemas"] = Doc{f.name(): f.schema(depth)} }},
		{true, func(f *free, s Doc, depth int) {
			s["contains"] = f.schema(depth)
			if f.Intn(2) == 0 {
				s["minContains"] = f.Intn(3)
			}
			if f.Intn(2) == 0 {
				s["maxContains"] = f.Intn(3)
			}
		}},
		{true, func(f *free, s Doc, depth int) {
			s["if"] = f.schema(depth)
			s["then"] = f.schema(depth)
			if f.Intn(2) == 0 {
				s["else"] = f.schema(depth)
			}
		}},
		{true, func(f *free, s Doc, _ int) {
			if f.defs > 0 {
				s["$ref"] = fmt.Sprintf("#/$defs/d%d", f.Intn(f.defs))
			}
		}},
		inner("additionalProperties"), inner("additionalProperties"), inner("items"), inner("items"), inner("propertyNames"), inner("not"),
		inner("unevaluatedProperties"), inner("unevaluatedItems"), several("prefixItems"), several("allOf"), several("anyOf"), several("anyOf"), several("oneOf"),
	}
}

// value makes any document from the same vocabulary.
func (f *free) value(depth int) any {
	n := 10
	if depth <= 0 {
		n = 7
	}
	switch f.Intn(n) {
	case 0:
		return nil
	case 1:
		return f.Intn(2) == 0
	case 2, 3:
		return f.Intn(6) - 1
	case 4:
		return float64(f.Intn(8)) / 4
	case 5:
		return pick(f.Rand, "", "a", "b", "ab", "aaa", "xa", "bbbb", "é")
	case 6:
		return pick(f.Rand, "2024-02-29", "192.0.2.1", "a@example.com", "https://example.com", "/a")
	case 7:
		return f.array(depth)
	}
	return f.object(depth)
}

func (f *free) array(depth int) List {
	out := make(List, f.Intn(4))
	for i := range out {
		out[i] = f.value(depth - 1)
	}
	return out
}

func (f *free) object(depth int) Doc {
	out := Doc{}
	for range f.Intn(4) {
		out[f.name()] = f.value(depth - 1)
	}
	return out
}

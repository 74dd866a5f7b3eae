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
	s := f.makeSchema(3)
	doc, ok := s.(Doc)
	if !ok {
		return s
	}
	if f.defs > 0 {
		defs := Doc{}
		for i := range f.defs {
			defs[fmt.Sprintf("d%d", i)] = f.makeSchema(2)
		}
		doc["$defs"] = defs
	}
	return doc
}

type free struct {
	*rand.Rand
	defs int
}

func (f *free) makeSchema(depth int) any {
	if f.Intn(12) == 0 {
		return f.Intn(3) > 0
	}
	s := Doc{}
	if f.Intn(3) > 0 {
		f.addTypes(s)
	}
	for range 1 + f.Intn(3) {
		keyword := freeKeywords[f.Intn(len(freeKeywords))]
		if depth > 0 || !keyword.inner {
			keyword.put(f, s, depth-1)
		}
	}
	return s
}

func (f *free) addTypes(s Doc) {
	name := pickOne(f.Rand, "string", "number", "integer", "object", "array", "object", "array")
	switch f.Intn(4) {
	case 0:
		s["type"] = List{name, "null"}
	case 1:
		s["type"] = pickOne(f.Rand, "boolean", "null", name)
	default:
		s["type"] = name
	}
}

type freeKeyword struct {
	inner bool
	put   func(f *free, s Doc, depth int)
}

func (f *free) pickName() string { return pickOne(f.Rand, "a", "b", "c", "xa", "xb") }

func (f *free) pickRegexp() string {
	return pickOne(f.Rand, "^x", "a", "^[ab]$", "b$", "^(a|xb)$", "^.?$")
}

func (f *free) makeSchemas(depth int) List {
	out := make(List, 1+f.Intn(3))
	for i := range out {
		out[i] = f.makeSchema(depth)
	}
	return out
}

func (f *free) pickNames() List {
	out := List{}
	for _, i := range f.Perm(3)[:1+f.Intn(2)] {
		out = append(out, []string{"a", "b", "c"}[i])
	}
	return out
}

func (f *free) makeProperties(depth int) Doc {
	out := Doc{}
	for range 1 + f.Intn(3) {
		out[f.pickName()] = f.makeSchema(depth)
	}
	return out
}

func smallNumber(keyword string) freeKeyword {
	return freeKeyword{put: func(f *free, s Doc, _ int) { s[keyword] = f.Intn(4) }}
}

func innerSchema(keyword string) freeKeyword {
	return freeKeyword{true, func(f *free, s Doc, depth int) { s[keyword] = f.makeSchema(depth) }}
}

func severalSchemas(keyword string) freeKeyword {
	return freeKeyword{true, func(f *free, s Doc, depth int) { s[keyword] = f.makeSchemas(depth) }}
}

var freeKeywords []freeKeyword

func init() {
	freeKeywords = []freeKeyword{
		smallNumber("minimum"), smallNumber("maximum"), smallNumber("exclusiveMinimum"), smallNumber("exclusiveMaximum"), smallNumber("minLength"), smallNumber("maxLength"),
		smallNumber("minItems"), smallNumber("maxItems"), smallNumber("minProperties"), smallNumber("maxProperties"),
		{put: func(f *free, s Doc, _ int) { s["multipleOf"] = pickOne[any](f.Rand, 1, 2, 3, 0.5) }},
		{put: func(f *free, s Doc, _ int) { s["pattern"] = f.pickRegexp() }},
		{put: func(f *free, s Doc, _ int) {
			s["format"] = pickOne(f.Rand, "date", "ipv4", "email", "uri", "uri-reference")
		}},
		{put: func(f *free, s Doc, _ int) { s["uniqueItems"] = f.Intn(4) > 0 }},
		{put: func(f *free, s Doc, _ int) {
			list := List{}
			for range 1 + f.Intn(3) {
				list = append(list, f.makeValue(1))
			}
			s["enum"] = list
		}},
		{put: func(f *free, s Doc, _ int) { s["const"] = f.makeValue(1) }},
		{put: func(f *free, s Doc, _ int) { s["required"] = f.pickNames() }}, {put: func(f *free, s Doc, _ int) { s["required"] = f.pickNames() }},
		{put: func(f *free, s Doc, _ int) { s["dependentRequired"] = Doc{f.pickName(): f.pickNames()} }},
		{true, func(f *free, s Doc, depth int) { s["properties"] = f.makeProperties(depth) }}, {true, func(f *free, s Doc, depth int) { s["properties"] = f.makeProperties(depth) }},
		{true, func(f *free, s Doc, depth int) { s["patternProperties"] = Doc{f.pickRegexp(): f.makeSchema(depth)} }},
		{true, func(f *free, s Doc, depth int) { s["dependentSchemas"] = Doc{f.pickName(): f.makeSchema(depth)} }},
		{true, func(f *free, s Doc, depth int) {
			s["contains"] = f.makeSchema(depth)
			if f.Intn(2) == 0 {
				s["minContains"] = f.Intn(3)
			}
			if f.Intn(2) == 0 {
				s["maxContains"] = f.Intn(3)
			}
		}},
		{true, func(f *free, s Doc, depth int) {
			s["if"] = f.makeSchema(depth)
			s["then"] = f.makeSchema(depth)
			if f.Intn(2) == 0 {
				s["else"] = f.makeSchema(depth)
			}
		}},
		{true, func(f *free, s Doc, _ int) {
			if f.defs > 0 {
				s["$ref"] = fmt.Sprintf("#/$defs/d%d", f.Intn(f.defs))
			}
		}},
		innerSchema("additionalProperties"), innerSchema("additionalProperties"), innerSchema("items"), innerSchema("items"), innerSchema("propertyNames"), innerSchema("not"),
		innerSchema("unevaluatedProperties"), innerSchema("unevaluatedItems"), severalSchemas("prefixItems"), severalSchemas("allOf"), severalSchemas("anyOf"), severalSchemas("anyOf"), severalSchemas("oneOf"),
	}
}

// makeValue makes any document from the same vocabulary.
func (f *free) makeValue(depth int) any {
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
		return pickOne(f.Rand, "", "a", "b", "ab", "aaa", "xa", "bbbb", "é")
	case 6:
		return pickOne(f.Rand, "2024-02-29", "192.0.2.1", "a@example.com", "https://example.com", "/a")
	case 7:
		return f.makeArray(depth)
	}
	return f.makeObject(depth)
}

func (f *free) makeArray(depth int) List {
	out := make(List, f.Intn(4))
	for i := range out {
		out[i] = f.makeValue(depth - 1)
	}
	return out
}

func (f *free) makeObject(depth int) Doc {
	out := Doc{}
	for range f.Intn(4) {
		out[f.pickName()] = f.makeValue(depth - 1)
	}
	return out
}

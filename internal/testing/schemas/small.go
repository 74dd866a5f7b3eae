package schemas

import "math/rand"

// Small makes a schema of few keywords about values of one kind: "array", "object"
// or "scalar". Its parts are the schemas of single types, so that Universe shows
// most of what it accepts.
func Small(r *rand.Rand, kind string) any { return (&smallMaker{Rand: r, kind: kind}).schema(2) }

// SmallChange makes a schema from another of the kind: one keyword differs.
func SmallChange(r *rand.Rand, kind string, s any) any {
	m := &smallMaker{Rand: r, kind: kind}
	doc, ok := Copy(s).(Doc)
	if !ok {
		return m.schema(2)
	}
	keys := sortedKeys(doc)
	switch k := ""; m.Intn(5) {
	case 0:
		return m.combine(s)
	case 1, 2:
		if len(keys) > 0 {
			k = keys[m.Intn(len(keys))]
			delete(doc, k)
			if k == "if" { // they have no effect without it
				delete(doc, "then")
				delete(doc, "else")
			}
		}
		return doc
	}
	m.put(doc, 1)
	return doc
}

// combine puts a schema into one that is combined.
func (m *smallMaker) combine(s any) any {
	switch m.Intn(5) {
	case 0:
		return Doc{"not": Doc{"not": s}}
	case 1:
		return Doc{"allOf": List{s, m.schema(1)}}
	case 2:
		return Doc{"anyOf": List{m.schema(1), s}}
	case 3:
		return Doc{"oneOf": List{s, m.schema(1)}}
	}
	return Doc{"if": m.schema(1), "then": s, "else": s}
}

type smallMaker struct {
	*rand.Rand
	kind string
}

func (m *smallMaker) schema(depth int) any {
	if m.Intn(16) == 0 {
		return m.Intn(2) == 0
	}
	s := Doc{}
	if m.Intn(3) == 0 && m.kind != "scalar" {
		s["type"] = m.kind
	}
	for range 1 + m.Intn(2) {
		m.put(s, depth)
	}
	return s
}

// part is a schema of a property or an item.
func (m *smallMaker) part() any {
	return pick[any](m.Rand, true, false, Doc{"type": "null"}, Doc{"type": "integer"}, Doc{"type": "string"}, Doc{"type": List{"integer", "null"}}, Doc{"const": 0}, Doc{"enum": List{"a", nil}}, Doc{"not": Doc{"type": "null"}})
}

func (m *smallMaker) name() string { return pick(m.Rand, "a", "b", "x") }

func (m *smallMaker) count() int { return m.Intn(4) }

// put adds a keyword of the kind, or one that combines others.
func (m *smallMaker) put(s Doc, depth int) {
	if depth > 0 && m.Intn(5) < 2 {
		m.putCombined(s, depth-1)
		return
	}
	switch m.kind {
	case "array":
		m.putArray(s)
	case "object":
		m.putObject(s, depth)
	default:
		m.putScalar(s)
	}
}

func (m *smallMaker) putCombined(s Doc, depth int) {
	switch k := pick(m.Rand, "anyOf", "oneOf", "allOf", "not", "if"); k {
	case "not":
		s[k] = m.schema(depth)
	case "if":
		s["if"], s[pick(m.Rand, "then", "else")] = m.schema(depth), m.schema(depth)
	default:
		list := List{m.schema(depth), m.schema(depth)}
		if m.Intn(4) == 0 {
			list = append(list, m.schema(depth))
		}
		s[k] = list
	}
}

func (m *smallMaker) putArray(s Doc) {
	switch k := pick(m.Rand, "prefixItems", "prefixItems", "items", "contains", "contains", "unevaluatedItems", "unevaluatedItems", "minItems", "maxItems", "uniqueItems", "enum"); k {
	case "prefixItems":
		s[k] = List{m.part(), m.part()}[:1+m.Intn(2)]
	case "minItems", "maxItems":
		s[k] = m.count()
	case "uniqueItems":
		s[k] = true
	case "contains":
		s[k] = m.part()
		if m.Intn(3) == 0 {
			s["minContains"] = m.count()
		}
		if m.Intn(3) == 0 {
			s["maxContains"] = m.count()
		}
	case "enum":
		s[k] = List{List{}, List{0}, List{nil, "a"}, List{0, 0}}[m.Intn(2) : 2+m.Intn(3)]
	default:
		s[k] = m.part()
	}
}

func (m *smallMaker) putObject(s Doc, depth int) {
	switch k := pick(m.Rand, "properties", "properties", "patternProperties", "additionalProperties", "propertyNames", "required", "unevaluatedProperties", "unevaluatedProperties",
		"minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "enum"); k {
	case "properties":
		s[k] = Doc{m.name(): m.part(), m.name(): m.part()}
	case "patternProperties":
		s[k] = Doc{m.pattern(): m.part()}
	case "propertyNames":
		s[k] = pick[any](m.Rand, Doc{"pattern": m.pattern()}, Doc{"enum": List{"a", "x"}}, Doc{"not": Doc{"pattern": m.pattern()}}, Doc{"not": Doc{"const": "b"}}, Doc{"maxLength": 1}, false)
	case "required":
		s[k] = List{m.name()}
	case "minProperties", "maxProperties":
		s[k] = m.count()
	case "dependentRequired":
		s[k] = Doc{m.name(): List{m.name()}}
	case "dependentSchemas":
		s[k] = Doc{m.name(): m.schema(min(depth, 1) - 1)}
	case "enum":
		s[k] = List{Doc{}, Doc{"a": 0}, Doc{"b": nil}, Doc{"a": 0, "x": "a"}}[m.Intn(2) : 2+m.Intn(3)]
	default:
		s[k] = m.part()
	}
}

func (m *smallMaker) pattern() string { return pick(m.Rand, "^x", "a", "^[ab]$", "^.$") }

func (m *smallMaker) putScalar(s Doc) {
	switch k := pick(m.Rand, "type", "type", "enum", "minimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "format"); k {
	case "type":
		s[k] = pick[any](m.Rand, "null", "boolean", "integer", "number", "string", List{"integer", "null"}, List{"string", "boolean"}, "array")
	case "enum":
		s[k] = List{nil, 0, "a", true, 1.5, "x", 2}[m.Intn(3) : 3+m.Intn(5)]
	case "minLength", "maxLength":
		s[k] = m.count()
	case "multipleOf":
		s[k] = pick[any](m.Rand, 1, 2, 0.5)
	case "pattern":
		s[k] = m.pattern()
	case "format":
		s[k] = pick(m.Rand, "date", "ipv4", "uri-reference", "uri-template", "json-pointer", "relative-json-pointer", "hostname")
	default:
		s[k] = m.count()
	}
}

// Universe returns the small documents of a kind: all lists of up to three items
// and some longer ones, all objects of up to three properties, or scalars.
func Universe(kind string) List {
	switch kind {
	case "array":
		out := lists(List{nil, 0, "a", 1, true}, 3)
		return append(append(out, lists(List{nil, 0}, 5)...), List{List{}, Doc{}}, List{"b", "c", "d", "e"}, nil, 0, "a", Doc{})
	case "object":
		return append(append(objects([]string{"a", "b", "x", "z"}, List{nil, 0, "a", 1.5}, 2), objects([]string{"a", "b", "x", "z"}, List{nil, "a"}, 3)...), Doc{"xa": nil}, Doc{"xa": 0, "aa": "a"}, Doc{"a": 0, "b": 0, "x": 0, "xx": 0}, nil, 0, "a", List{})
	}
	return List{nil, true, false, -1, 0, 0.5, 1, 1.25, 1.5, 2, 3, 4, "", "a", "b", "x", "xa", "aaa", "é", "/a", "{", "0", "0#", "-", "2024-02-29", "192.0.2.1", "a{b}", List{}, List{0}, Doc{}}
}

// lists returns the lists of up to some items.
func lists(items List, most int) List {
	all, longest := List{List{}}, List{List{}}
	for range most {
		var longer List
		for _, l := range longest {
			for _, x := range items {
				longer = append(longer, append(append(List{}, l.(List)...), x))
			}
		}
		all, longest = append(all, longer...), longer
	}
	return all
}

// objects returns the objects of up to some properties.
func objects(names []string, values List, most int) List {
	all := List{Doc{}}
	for _, name := range names {
		for _, o := range all {
			if doc := o.(Doc); len(doc) < most {
				for _, v := range values {
					longer := Copy(doc).(Doc)
					longer[name] = v
					all = append(all, longer)
				}
			}
		}
	}
	return all
}

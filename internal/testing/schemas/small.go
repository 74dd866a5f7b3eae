package schemas

import "math/rand"

// Small makes a schema of few keywords about values of one kind: "array", "object"
// or "scalar". Its parts are the schemas of single types, so that Universe shows
// most of what it accepts.
func Small(r *rand.Rand, kind string) any { return (&smallMaker{Rand: r, kind: kind}).makeSchema(2) }

// SmallChange makes a schema from another of the kind: one keyword differs.
func SmallChange(r *rand.Rand, kind string, s any) any {
	m := &smallMaker{Rand: r, kind: kind}
	doc, ok := Copy(s).(Doc)
	if !ok {
		return m.makeSchema(2)
	}
	keys := sortedKeys(doc)
	switch k := ""; m.Intn(5) {
	case 0:
		return m.combineSchema(s)
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
	m.addKeyword(doc, 1)
	return doc
}

// combineSchema puts a schema into one that is combined.
func (m *smallMaker) combineSchema(s any) any {
	switch m.Intn(5) {
	case 0:
		return Doc{"not": Doc{"not": s}}
	case 1:
		return Doc{"allOf": List{s, m.makeSchema(1)}}
	case 2:
		return Doc{"anyOf": List{m.makeSchema(1), s}}
	case 3:
		return Doc{"oneOf": List{s, m.makeSchema(1)}}
	}
	return Doc{"if": m.makeSchema(1), "then": s, "else": s}
}

type smallMaker struct {
	*rand.Rand
	kind string
}

func (m *smallMaker) makeSchema(depth int) any {
	if m.Intn(16) == 0 {
		return m.Intn(2) == 0
	}
	s := Doc{}
	if m.Intn(3) == 0 && m.kind != "scalar" {
		s["type"] = m.kind
	}
	for range 1 + m.Intn(2) {
		m.addKeyword(s, depth)
	}
	return s
}

// makePart returns a schema of a property or an item.
func (m *smallMaker) makePart() any {
	return pickOne[any](m.Rand, true, false, Doc{"type": "null"}, Doc{"type": "integer"}, Doc{"type": "string"}, Doc{"type": List{"integer", "null"}}, Doc{"const": 0}, Doc{"enum": List{"a", nil}}, Doc{"not": Doc{"type": "null"}})
}

func (m *smallMaker) pickName() string { return pickOne(m.Rand, "a", "b", "x") }

func (m *smallMaker) pickCount() int { return m.Intn(4) }

// addKeyword adds a keyword of the kind, or one that combines others.
func (m *smallMaker) addKeyword(s Doc, depth int) {
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
	switch k := pickOne(m.Rand, "anyOf", "oneOf", "allOf", "not", "if"); k {
	case "not":
		s[k] = m.makeSchema(depth)
	case "if":
		s["if"], s[pickOne(m.Rand, "then", "else")] = m.makeSchema(depth), m.makeSchema(depth)
	default:
		list := List{m.makeSchema(depth), m.makeSchema(depth)}
		if m.Intn(4) == 0 {
			list = append(list, m.makeSchema(depth))
		}
		s[k] = list
	}
}

func (m *smallMaker) putArray(s Doc) {
	switch k := pickOne(m.Rand, "prefixItems", "prefixItems", "items", "contains", "contains", "unevaluatedItems", "unevaluatedItems", "minItems", "maxItems", "uniqueItems", "enum"); k {
	case "prefixItems":
		s[k] = List{m.makePart(), m.makePart()}[:1+m.Intn(2)]
	case "minItems", "maxItems":
		s[k] = m.pickCount()
	case "uniqueItems":
		s[k] = true
	case "contains":
		s[k] = m.makePart()
		if m.Intn(3) == 0 {
			s["minContains"] = m.pickCount()
		}
		if m.Intn(3) == 0 {
			s["maxContains"] = m.pickCount()
		}
	case "enum":
		s[k] = List{List{}, List{0}, List{nil, "a"}, List{0, 0}}[m.Intn(2) : 2+m.Intn(3)]
	default:
		s[k] = m.makePart()
	}
}

func (m *smallMaker) putObject(s Doc, depth int) {
	switch k := pickOne(m.Rand, "properties", "properties", "patternProperties", "additionalProperties", "propertyNames", "required", "unevaluatedProperties", "unevaluatedProperties",
		"minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "enum"); k {
	case "properties":
		s[k] = Doc{m.pickName(): m.makePart(), m.pickName(): m.makePart()}
	case "patternProperties":
		s[k] = Doc{m.pickPattern(): m.makePart()}
	case "propertyNames":
		s[k] = pickOne[any](m.Rand, Doc{"pattern": m.pickPattern()}, Doc{"enum": List{"a", "x"}}, Doc{"not": Doc{"pattern": m.pickPattern()}}, Doc{"not": Doc{"const": "b"}}, Doc{"maxLength": 1}, false)
	case "required":
		s[k] = List{m.pickName()}
	case "minProperties", "maxProperties":
		s[k] = m.pickCount()
	case "dependentRequired":
		s[k] = Doc{m.pickName(): List{m.pickName()}}
	case "dependentSchemas":
		s[k] = Doc{m.pickName(): m.makeSchema(min(depth, 1) - 1)}
	case "enum":
		s[k] = List{Doc{}, Doc{"a": 0}, Doc{"b": nil}, Doc{"a": 0, "x": "a"}}[m.Intn(2) : 2+m.Intn(3)]
	default:
		s[k] = m.makePart()
	}
}

func (m *smallMaker) pickPattern() string { return pickOne(m.Rand, "^x", "a", "^[ab]$", "^.$") }

func (m *smallMaker) putScalar(s Doc) {
	switch k := pickOne(m.Rand, "type", "type", "enum", "minimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "format"); k {
	case "type":
		s[k] = pickOne[any](m.Rand, "null", "boolean", "integer", "number", "string", List{"integer", "null"}, List{"string", "boolean"}, "array")
	case "enum":
		s[k] = List{nil, 0, "a", true, 1.5, "x", 2}[m.Intn(3) : 3+m.Intn(5)]
	case "minLength", "maxLength":
		s[k] = m.pickCount()
	case "multipleOf":
		s[k] = pickOne[any](m.Rand, 1, 2, 0.5)
	case "pattern":
		s[k] = m.pickPattern()
	case "format":
		s[k] = pickOne(m.Rand, "date", "ipv4", "uri-reference", "uri-template", "json-pointer", "relative-json-pointer", "hostname")
	default:
		s[k] = m.pickCount()
	}
}

// Universe returns the small documents of a kind: all lists of up to three items
// and some longer ones, all objects of up to three properties, or scalars.
func Universe(kind string) List {
	switch kind {
	case "array":
		out := enumerateLists(List{nil, 0, "a", 1, true}, 3)
		return append(append(out, enumerateLists(List{nil, 0}, 5)...), List{List{}, Doc{}}, List{"b", "c", "d", "e"}, nil, 0, "a", Doc{})
	case "object":
		return append(append(enumerateObjects([]string{"a", "b", "x", "z"}, List{nil, 0, "a", 1.5}, 2), enumerateObjects([]string{"a", "b", "x", "z"}, List{nil, "a"}, 3)...), Doc{"xa": nil}, Doc{"xa": 0, "aa": "a"}, Doc{"a": 0, "b": 0, "x": 0, "xx": 0}, nil, 0, "a", List{})
	}
	return List{nil, true, false, -1, 0, 0.5, 1, 1.25, 1.5, 2, 3, 4, "", "a", "b", "x", "xa", "aaa", "é", "/a", "{", "0", "0#", "-", "2024-02-29", "192.0.2.1", "a{b}", List{}, List{0}, Doc{}}
}

// enumerateLists returns the lists of up to some items.
func enumerateLists(items List, most int) List {
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

// enumerateObjects returns the objects of up to some properties.
func enumerateObjects(names []string, values List, most int) List {
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

package schemas

import (
	"math/rand"
	"sort"
	"strings"
)

// Instance makes a document that a schema may accept: it follows the schema most
// of the time, to the bounds and just beyond them.
func Instance(r *rand.Rand, root any) any {
	m := &maker{free: &free{Rand: r}, root: root}
	return m.makeInstance(root, 5)
}

type maker struct {
	*free
	root any
}

func (m *maker) makeInstance(s any, depth int) any {
	doc, ok := s.(Doc)
	if !ok || depth <= 0 || m.Intn(20) == 0 {
		return m.makeValue(2)
	}
	if v, fixed := m.fixedValue(doc); fixed {
		return v
	}
	doc = m.mergeBranches(doc, depth)
	if v, fixed := m.fixedValue(doc); fixed {
		return v
	}
	switch m.pickKind(doc) {
	case "null":
		return nil
	case "boolean":
		return m.Intn(2) == 0
	case "integer":
		return m.makeInteger(doc)
	case "number":
		return float64(m.makeInteger(doc)) + pickOne(m.Rand, 0, 0.5, 0.25)
	case "string":
		return m.makeString(doc)
	case "array":
		return m.arrayOf(doc, depth)
	}
	return m.objectOf(doc, depth)
}

func (m *maker) fixedValue(doc Doc) (any, bool) {
	if v, there := doc["const"]; there {
		return v, true
	}
	if list, ok := doc["enum"].(List); ok && len(list) > 0 {
		return list[m.Intn(len(list))], true
	}
	return nil, false
}

// mergeBranches follows references and takes one way of each choice.
func (m *maker) mergeBranches(doc Doc, depth int) Doc {
	out := Doc{}
	add := func(v any) {
		if d, ok := v.(Doc); ok && depth > 0 {
			for k, x := range m.mergeBranches(d, depth-1) {
				out[k] = joinProperties(out[k], x)
			}
		}
	}
	for _, k := range sortedKeys(doc) {
		switch list, _ := doc[k].(List); k {
		case "allOf":
			for _, c := range list {
				add(c)
			}
		case "anyOf", "oneOf":
			add(list[m.Intn(len(list))])
		case "$ref":
			add(m.resolveRef(doc[k].(string)))
		case "if":
			if m.Intn(2) == 0 {
				add(doc["if"])
				add(doc["then"])
			} else {
				add(doc["else"])
			}
		}
	}
	for k, x := range doc {
		out[k] = joinProperties(out[k], x)
	}
	return out
}

// joinProperties joins the properties of two branches.
func joinProperties(a, b any) any {
	x, okX := a.(Doc)
	y, okY := b.(Doc)
	if okX && okY {
		out := Doc{}
		for k, v := range x {
			out[k] = v
		}
		for k, v := range y {
			out[k] = v
		}
		return out
	}
	p, okP := a.(List)
	q, okQ := b.(List)
	if okP && okQ {
		return append(append(List{}, p...), q...)
	}
	return b
}

func (m *maker) resolveRef(ref string) any {
	v := m.root
	for _, part := range strings.Split(strings.TrimPrefix(ref, "#"), "/")[1:] {
		doc, ok := v.(Doc)
		if !ok {
			return nil
		}
		v = doc[part]
	}
	return v
}

func (m *maker) pickKind(doc Doc) string {
	switch t := doc["type"].(type) {
	case string:
		return t
	case List:
		return t[m.Intn(len(t))].(string)
	}
	for k, kind := range map[string]string{"properties": "object", "required": "object", "items": "array", "prefixItems": "array", "contains": "array", "minLength": "string", "pattern": "string", "minimum": "integer"} {
		if _, there := doc[k]; there && m.Intn(2) == 0 {
			return kind
		}
	}
	return pickOne(m.Rand, "object", "array", "string", "integer", "number", "null", "boolean")
}

func (m *maker) makeInteger(doc Doc) int {
	for _, k := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"} {
		if v, ok := doc[k].(int); ok && m.Intn(2) == 0 {
			return v + m.Intn(3) - 1
		}
	}
	return m.Intn(12) - 2
}

func (m *maker) pickSize(doc Doc, least, most string) int {
	low, _ := doc[least].(int)
	n := low + m.Intn(3)
	if high, ok := doc[most].(int); ok && m.Intn(3) > 0 {
		n = min(n, high)
	}
	return min(n, 12)
}

func (m *maker) makeString(doc Doc) string {
	if _, there := doc["format"]; there && m.Intn(3) > 0 {
		return pickOne(m.Rand, "2024-02-29", "192.0.2.1", "a@example.com", "https://example.com", "/a")
	}
	n := m.pickSize(doc, "minLength", "maxLength")
	if s := pickOne(m.Rand, "a", "b", "xa", "aaa", "on", "12", "xb"); m.Intn(2) == 0 {
		return s
	}
	var b strings.Builder
	for range n {
		b.WriteString(pickOne(m.Rand, "a", "b", "x", "0", "é"))
	}
	return b.String()
}

func (m *maker) arrayOf(doc Doc, depth int) List {
	n := m.pickSize(doc, "minItems", "maxItems")
	prefix, _ := doc["prefixItems"].(List)
	out := make(List, 0, n)
	for i := range n {
		var s any
		switch {
		case i < len(prefix):
			s = prefix[i]
		case doc["items"] != nil && m.Intn(4) > 0:
			s = doc["items"]
		case doc["contains"] != nil:
			s = doc["contains"]
		case doc["unevaluatedItems"] != nil:
			s = doc["unevaluatedItems"]
		}
		out = append(out, m.makeInstance(s, depth-1))
	}
	return out
}

func (m *maker) objectOf(doc Doc, depth int) Doc {
	out := Doc{}
	props, _ := doc["properties"].(Doc)
	names := sortedKeys(props)
	if required, ok := doc["required"].(List); ok {
		for _, name := range required {
			names = append(names, name.(string), name.(string))
		}
	}
	if m.Intn(2) == 0 {
		names = append(names, m.pickName())
	}
	for i, name := range names {
		needed := i > 0 && names[i-1] == name
		if !needed && m.Intn(3) == 0 {
			continue
		}
		s, there := props[name]
		if !there {
			s = doc["additionalProperties"]
			if patterns, ok := doc["patternProperties"].(Doc); ok {
				for _, p := range sortedKeys(patterns) {
					s = patterns[p]
				}
			}
		}
		out[name] = m.makeInstance(s, depth-1)
	}
	return out
}

func sortedKeys(m Doc) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

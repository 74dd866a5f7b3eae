package schema

import "slices"

// absentUndeclared states that properties are absent which b names and a neither
// names nor closes itself to.
//
// By the letter a schema without additionalProperties accepts every property, so
// each new optional property would break callers. Callers rely on declared
// properties only; an explicit additionalProperties: true is taken literally.
func (m *meter) absentUndeclared(a []literal, b *node) conjunction {
	var declared []*node
	open := true
	for _, l := range a {
		visitInPlaceDeep(l.node, func(n *node) {
			m.spend(1)
			declared = append(declared, n)
			open = open && n.additional == nil && n.unevaluatedProps == nil
		})
	}
	if !open {
		return nil
	}
	var out conjunction
	seen := map[string]bool{}
	visitInPlaceDeep(b, func(n *node) {
		m.spend(len(n.props) * len(declared) / 8)
		for _, p := range n.props {
			if !seen[p.name] && !m.isDeclared(declared, p.name) {
				out = append(out, atom{op: opAbsent, text: p.name})
			}
			seen[p.name] = true
		}
	})
	return out
}

// isDeclared reports whether a schema names a property in any way: callers send it.
func (m *meter) isDeclared(list []*node, name string) bool {
	return slices.ContainsFunc(list, func(n *node) bool {
		m.spend((len(n.required) + len(n.dependentRequired) + len(n.enum)) / 16)
		return findProp(n.props, name) != nil || slices.ContainsFunc(n.patterns, func(p patternProp) bool { return p.pattern.mayMatch(m, name) }) || slices.Contains(n.required, name) ||
			slices.ContainsFunc(n.dependentRequired, func(d dependency) bool { return d.name == name || slices.Contains(d.requires, name) }) ||
			findProp(n.dependentSchemas, name) != nil || n.propertyNames != nil && n.propertyNames.listsName(m, name) ||
			slices.ContainsFunc(n.enum, func(v any) bool {
				object, _ := v.(map[string]any)
				_, named := object[name]
				return named
			})
	})
}

// listsName reports whether a schema of names has one in an enum or a pattern. Others,
// such as a length, name none.
func (n *node) listsName(m *meter, name string) bool {
	found := false
	visitInPlaceDeep(n, func(c *node) {
		m.spend(1)
		found = found || c.enum != nil && c.hasValue(m, name) || c.pattern != nil && c.pattern.mayMatch(m, name)
	})
	return found
}

package schema

// absentUndeclared states that properties are absent which b names and a neither
// names nor closes itself to.
//
// By the letter a schema without additionalProperties accepts every property, so
// each new optional property would break callers. Callers rely on declared
// properties only; an explicit additionalProperties: true is taken literally.
func absentUndeclared(a []literal, b *node) conjunction {
	var declared []*node
	open := true
	for _, l := range a {
		visitInPlaceDeep(l.node, 0, func(n *node) {
			declared = append(declared, n)
			open = open && n.additional == nil && n.unevaluatedProps == nil
		})
	}
	if !open {
		return nil
	}
	var out conjunction
	seen := map[string]bool{}
	visitInPlaceDeep(b, 0, func(n *node) {
		for _, p := range n.props {
			if !seen[p.name] && !isDeclared(declared, p.name) {
				out = append(out, atom{op: opAbsent, text: p.name})
			}
			seen[p.name] = true
		}
	})
	return out
}

func isDeclared(list []*node, name string) bool {
	for _, n := range list {
		if n.namesProp(viewOf(name)) {
			return true
		}
		for _, required := range n.required {
			if required == name {
				return true
			}
		}
	}
	return false
}

package schema

// undeclared says that properties are absent which b names and a neither names
// nor closes itself to.
//
// A schema that does not say additionalProperties accepts any property, and so by
// the letter each optional property that a version adds breaks the callers that
// sent one of that name before. Nobody who writes such a schema means that:
// callers rely on what is declared. Who does mean it says additionalProperties:
// true, and is taken at the word.
func undeclared(a []lit, b *node) alt {
	var declared []*node
	open := true
	for _, l := range a {
		aside(l.node, 0, func(n *node) {
			declared = append(declared, n)
			open = open && n.extra == nil && n.restProps == nil
		})
	}
	if !open {
		return nil
	}
	var out alt
	seen := map[string]bool{}
	aside(b, 0, func(n *node) {
		for _, p := range n.props {
			if !seen[p.name] && !anyMentions(declared, p.name) {
				out = append(out, atom{op: opAbsent, text: p.name})
			}
			seen[p.name] = true
		}
	})
	return out
}

func anyMentions(list []*node, name string) bool {
	for _, n := range list {
		if n.mentions(named(name)) {
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

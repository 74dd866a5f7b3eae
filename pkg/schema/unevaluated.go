package schema

// scope answers what a node has looked at of a value, as far as the choices that
// were made tell. What is open counts as looked at when most is set.
type scope struct {
	st   *state
	most bool
}

// taken tells whether a branch counts.
func (c scope) taken(n *node) bool {
	if accepts, known := c.st.truth(n); known {
		return accepts
	}
	return c.most
}

// present tells whether a property counts as there.
func (c scope) present(name string) bool {
	for _, a := range c.st.atoms {
		if a.text == name && (a.op == opProp || a.op == opAbsent) {
			return a.op == opProp
		}
	}
	return c.most
}

// each calls visit with the schemas beside n whose marks count for it.
func (c scope) each(n *node, visit func(*node)) {
	if n.ref != nil {
		visit(n.ref)
	}
	for _, list := range [][]*node{n.allOf} {
		for _, x := range list {
			visit(x)
		}
	}
	for _, list := range [][]*node{n.anyOf, n.oneOf} {
		for _, x := range list {
			if c.taken(x) {
				visit(x)
			}
		}
	}
	if n.cond != nil {
		c.conditional(n, visit)
	}
	for _, p := range n.implies {
		if c.present(p.name) {
			visit(p.node)
		}
	}
}

func (c scope) conditional(n *node, visit func(*node)) {
	accepts, known := c.st.truth(n.cond)
	if known && accepts || !known && c.most {
		visit(n.cond)
		if n.then != nil {
			visit(n.then)
		}
	}
	if (known && !accepts || !known && c.most) && n.other != nil {
		visit(n.other)
	}
}

// sees tells whether a node evaluates the property of a name. The keyword
// unevaluatedProperties of the node itself is what asks.
func (c scope) sees(n *node, name view) bool {
	found := false
	n.speaking(name, func(*node) { found = true }, func() { found = found || c.most })
	if found {
		return true
	}
	c.each(n, func(x *node) { found = found || x.restProps != nil || c.sees(x, name) })
	return found
}

// seesItem tells whether a node evaluates an item, contains left out.
func (c scope) seesItem(n *node, i int) bool {
	if n.items != nil || i < len(n.prefix) {
		return true
	}
	found := false
	c.each(n, func(x *node) { found = found || x.restItems != nil || c.seesItem(x, i) })
	return found
}

// containing are the schemas whose matches count as evaluated.
func (c scope) containing(n *node) []*node {
	var out []*node
	if n.contains != nil {
		out = append(out, n.contains)
	}
	c.each(n, func(x *node) { out = append(out, c.containing(x)...) })
	return out
}

// prefixes is the longest prefixItems below a node.
func prefixes(n *node, depth int) int {
	longest := len(n.prefix)
	if depth < MaxDepth {
		n.beside(func(c *node) { longest = max(longest, prefixes(c, depth+1)) })
	}
	return longest
}

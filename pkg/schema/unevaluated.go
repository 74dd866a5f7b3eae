package schema

// evaluationScope answers what a node has evaluated of a value, given the choices
// made. Open choices count as evaluated when assumeEvaluated is set.
type evaluationScope struct {
	st              *state
	assumeEvaluated bool
}

// isTaken reports whether a branch counts as accepted.
func (c evaluationScope) isTaken(n *node) bool {
	if accepts, known := c.st.knownVerdict(n); known {
		return accepts
	}
	return c.assumeEvaluated
}

// hasProp reports whether a property counts as present.
func (c evaluationScope) hasProp(name string) bool {
	c.st.spend(len(c.st.atoms) / scannedPerUnit)
	for _, a := range c.st.atoms {
		if a.text == name && (a.op == opProp || a.op == opAbsent) {
			return a.op == opProp
		}
	}
	return c.assumeEvaluated
}

// visitEvaluating calls visit with the subschemas whose evaluated parts count for n.
func (c evaluationScope) visitEvaluating(n *node, visit func(*node)) {
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
			if c.isTaken(x) {
				visit(x)
			}
		}
	}
	if n.ifNode != nil {
		c.visitConditional(n, visit)
	}
	for _, p := range n.dependentSchemas {
		if c.hasProp(p.name) {
			visit(p.node)
		}
	}
}

func (c evaluationScope) visitConditional(n *node, visit func(*node)) {
	accepts, known := c.st.knownVerdict(n.ifNode)
	if known && accepts || !known && c.assumeEvaluated {
		visit(n.ifNode)
		if n.thenNode != nil {
			visit(n.thenNode)
		}
	}
	if (known && !accepts || !known && c.assumeEvaluated) && n.elseNode != nil {
		visit(n.elseNode)
	}
}

// evaluatesProp reports whether a node evaluates the property of a name, apart from its
// own unevaluatedProperties, on whose behalf this is called.
func (c evaluationScope) evaluatesProp(n *node, name nameView) bool {
	found := false
	walkNodes(n, c.visitEvaluating, func(x *node) {
		c.st.spend(1)
		found = found || x != n && x.unevaluatedProps != nil
		x.visitApplicable(name, func(*node) { found = true }, func() { found = found || c.assumeEvaluated })
	})
	return found
}

// evaluatesItem reports whether a node evaluates an item, contains left out.
func (c evaluationScope) evaluatesItem(n *node, i int) bool {
	found := false
	walkNodes(n, c.visitEvaluating, func(x *node) {
		c.st.spend(1)
		found = found || x != n && x.unevaluatedItems != nil || x.items != nil || i < len(x.prefixItems)
	})
	return found
}

// containsNodes returns the contains schemas whose matches count as evaluated.
func (c evaluationScope) containsNodes(n *node) []*node {
	var out []*node
	walkNodes(n, c.visitEvaluating, func(x *node) {
		c.st.spend(1)
		if x.contains != nil {
			out = append(out, x.contains)
		}
	})
	return out
}

package schema

// partRules are the atoms of a state that constrain parts of a value, sorted by
// kind.
type partRules struct {
	st *state
	// propNodes, rest and lists are nodes whose keywords judge all parts.
	propNodes, unevaluatedProps, itemNodes, unevaluatedItems []*node
	propertyNames                                            []literal
	presentProps                                             map[string][]literal // required, with what they must pass
	absentProps                                              map[string]bool
	items                                                    map[int][]literal
	everyItem                                                []atom // opRest
	counts                                                   []atom // opContains and opFew
	uniqueItems, notUnique                                   bool
	mentioned                                                []string // cached by mentionedNames
}

func newPartRules(st *state) *partRules {
	st.spend(5 + len(st.atoms))
	r := &partRules{st: st, presentProps: map[string][]literal{}, absentProps: map[string]bool{}, items: map[int][]literal{}}
	for _, a := range st.atoms {
		switch a.op {
		case opProps:
			r.propNodes = append(r.propNodes, a.node)
		case opUnevaluatedProps:
			r.unevaluatedProps = append(r.unevaluatedProps, a.node)
		case opPropertyNames:
			r.propertyNames = append(r.propertyNames, a.lits...)
		case opProp:
			r.presentProps[a.text] = append(r.presentProps[a.text], a.lits...)
		case opAbsent:
			r.absentProps[a.text] = true
		case opItems:
			r.itemNodes = append(r.itemNodes, a.node)
		case opUnevaluatedItems:
			r.unevaluatedItems = append(r.unevaluatedItems, a.node)
		case opItem:
			r.items[a.n] = append(r.items[a.n], a.lits...)
		case opEveryItem:
			r.everyItem = append(r.everyItem, a)
		case opMinContained, opMaxContained:
			r.counts = append(r.counts, a)
		case opUnique:
			r.uniqueItems = true
		case opNotUnique:
			r.notUnique = true
		}
	}
	return r
}

// literalsForProp returns what the value of a property must pass.
func (r *partRules) literalsForProp(v nameView) []literal {
	var out []literal
	for _, n := range r.propNodes {
		n.visitApplicable(v, func(c *node) { out = add(out, accepts(c)) }, ignoreUnsure)
	}
	for _, n := range r.unevaluatedProps {
		if !(evaluationScope{r.st, true}).evaluatesProp(n, v) {
			out = add(out, accepts(n.unevaluatedProps))
		}
	}
	if !v.isUnmentioned {
		out = append(out, r.presentProps[v.name]...)
	}
	return out
}

// literalsForItem returns what an item must pass.
func (r *partRules) literalsForItem(s *solver, i int) []literal {
	var out []literal
	for _, n := range r.itemNodes {
		if i < len(n.prefixItems) {
			out = add(out, accepts(n.prefixItems[i]))
		} else if n.items != nil {
			out = add(out, accepts(n.items))
		}
	}
	for _, n := range r.unevaluatedItems {
		sc := evaluationScope{r.st, true}
		if !sc.evaluatesItem(n, i) {
			out = add(out, accepts(s.anyOfNode(append([]*node{n.unevaluatedItems}, sc.containsNodes(n)...))))
		}
	}
	for _, a := range r.everyItem {
		if i >= a.n {
			out = append(out, a.lits...)
		}
	}
	return append(out, r.items[i]...)
}

// add leaves out literals that constrain nothing, so that equal sets get equal keys.
func add(to []literal, l literal) []literal {
	if l.node.acceptsAll() && !l.not {
		return to
	}
	return append(to, l)
}

// firstUniformItem returns an index from which on all items are alike.
func (r *partRules) firstUniformItem() int {
	i := 0
	for _, n := range r.itemNodes {
		i = max(i, len(n.prefixItems))
	}
	for _, n := range r.unevaluatedItems {
		i = max(i, longestPrefix(n, 0))
	}
	for at := range r.items {
		i = max(i, at+1)
	}
	for _, a := range r.everyItem {
		i = max(i, a.n)
	}
	return i
}

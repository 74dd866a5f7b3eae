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
	r.st.spend(len(r.propNodes) / 4)
	for _, n := range r.propNodes {
		n.visitApplicable(v, func(c *node) { out = addLiteral(out, accepts(c)) }, ignoreUnsure)
	}
	for _, n := range r.unevaluatedProps {
		if !(evaluationScope{r.st, true}).evaluatesProp(n, v) {
			out = addLiteral(out, accepts(n.unevaluatedProps))
		}
	}
	if !v.isUnmentioned {
		out = append(out, r.presentProps[v.name]...)
		out = r.oneOfParts(out, func(value any) (any, bool) {
			object, _ := value.(map[string]any)
			part, there := object[v.name]
			return part, there
		})
	}
	return out
}

// oneOfParts adds that a part is one of those in the only values left.
func (r *partRules) oneOfParts(to []literal, part func(value any) (any, bool)) []literal {
	if !r.st.finite {
		return to
	}
	parts := []any{}
	r.st.spend(len(r.st.values))
	for _, value := range r.st.values {
		if x, there := part(value); there {
			parts = append(parts, x)
		}
	}
	return append(to, accepts(r.st.enumNode(parts)))
}

// literalsForItem returns what an item must pass.
func (r *partRules) literalsForItem(s *solver, i int) []literal {
	var out []literal
	r.st.spend(len(r.itemNodes) / 8)
	for _, n := range r.itemNodes {
		if i < len(n.prefixItems) {
			out = addLiteral(out, accepts(n.prefixItems[i]))
		} else if n.items != nil {
			out = addLiteral(out, accepts(n.items))
		}
	}
	for _, n := range r.unevaluatedItems {
		sc := evaluationScope{r.st, true}
		if !sc.evaluatesItem(n, i) {
			out = addLiteral(out, accepts(s.anyOfNode(append([]*node{n.unevaluatedItems}, sc.containsNodes(n)...))))
		}
	}
	for _, a := range r.everyItem {
		if i >= a.n {
			out = append(out, a.lits...)
		}
	}
	out = append(out, r.items[i]...)
	return r.oneOfParts(out, func(value any) (any, bool) {
		list, _ := value.([]any)
		if i < len(list) {
			return list[i], true
		}
		return nil, false
	})
}

// addLiteral leaves out literals that constrain nothing, so that equal sets get equal keys.
func addLiteral(to []literal, l literal) []literal {
	if l.node.acceptsAll() && !l.not {
		return to
	}
	return append(to, l)
}

// firstUniformItem returns an index from which on all items are alike, whichever
// way the open choices go.
func (r *partRules) firstUniformItem() int {
	i := 0
	for _, v := range r.st.values {
		list, _ := v.([]any)
		i = max(i, len(list))
	}
	for _, a := range r.st.atoms {
		i = max(i, a.firstUniformItem())
	}
	r.st.spend(len(r.st.atoms) / scannedPerUnit)
	for _, ways := range r.st.choices {
		r.st.spend(1 + len(ways)/4)
		for _, way := range ways {
			for _, a := range way {
				i = max(i, a.firstUniformItem())
			}
		}
	}
	return i
}

func (a atom) firstUniformItem() int {
	i := 0
	switch a.op {
	case opItem:
		i = a.n + 1
	case opEveryItem, opSomeItem:
		i = a.n
	case opLiterals:
		for _, l := range a.lits {
			i = max(i, l.node.uniformFrom)
		}
	}
	if a.node != nil {
		i = max(i, a.node.uniformFrom)
	}
	return i
}

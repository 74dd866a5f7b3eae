package schema

// rules are the atoms of a state that speak of parts of a value, sorted out.
type rules struct {
	st *state
	// groups, rest and lists are nodes whose keywords judge all parts.
	groups, rest, lists, restItems []*node
	names                          []lit
	props                          map[string][]lit // what must be there
	absent                         map[string]bool
	items                          map[int][]lit
	tails                          []atom // opRest
	counted                        []atom // opContains and opFew
	unique, notUnique              bool
	spoken                         []string // the names that all of it mentions, once asked for
}

func rulesOf(st *state) *rules {
	st.spend(5 + len(st.atoms))
	r := &rules{st: st, props: map[string][]lit{}, absent: map[string]bool{}, items: map[int][]lit{}}
	for _, a := range st.atoms {
		switch a.op {
		case opGroup:
			r.groups = append(r.groups, a.node)
		case opRestProps:
			r.rest = append(r.rest, a.node)
		case opNames:
			r.names = append(r.names, a.lits...)
		case opProp:
			r.props[a.text] = append(r.props[a.text], a.lits...)
		case opAbsent:
			r.absent[a.text] = true
		case opList:
			r.lists = append(r.lists, a.node)
		case opRestItems:
			r.restItems = append(r.restItems, a.node)
		case opItem:
			r.items[a.n] = append(r.items[a.n], a.lits...)
		case opRest:
			r.tails = append(r.tails, a)
		case opContains, opFew:
			r.counted = append(r.counted, a)
		case opUnique:
			r.unique = true
		case opNotUnique:
			r.notUnique = true
		}
	}
	return r
}

// prop is what the value of a property must pass.
func (r *rules) prop(v view) []lit {
	var out []lit
	for _, n := range r.groups {
		n.speaking(v, func(c *node) { out = add(out, is(c)) }, nothing)
	}
	for _, n := range r.rest {
		if !(scope{r.st, true}).sees(n, v) {
			out = add(out, is(n.restProps))
		}
	}
	if !v.any {
		out = append(out, r.props[v.name]...)
	}
	return out
}

// item is what an item must pass.
func (r *rules) item(s *solver, i int) []lit {
	var out []lit
	for _, n := range r.lists {
		if i < len(n.prefix) {
			out = add(out, is(n.prefix[i]))
		} else if n.items != nil {
			out = add(out, is(n.items))
		}
	}
	for _, n := range r.restItems {
		sc := scope{r.st, true}
		if !sc.seesItem(n, i) {
			out = add(out, is(s.either(append([]*node{n.restItems}, sc.containing(n)...))))
		}
	}
	for _, a := range r.tails {
		if i >= a.n {
			out = append(out, a.lits...)
		}
	}
	return append(out, r.items[i]...)
}

// add leaves out what says nothing, so that equal sets are known as equal.
func add(to []lit, l lit) []lit {
	if l.node.always() && !l.not {
		return to
	}
	return append(to, l)
}

// tail is an index from which on all items are alike.
func (r *rules) tail() int {
	i := 0
	for _, n := range r.lists {
		i = max(i, len(n.prefix))
	}
	for _, n := range r.restItems {
		i = max(i, prefixes(n, 0))
	}
	for at := range r.items {
		i = max(i, at+1)
	}
	for _, a := range r.tails {
		i = max(i, a.n)
	}
	return i
}

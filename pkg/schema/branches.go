package schema

func anyOf(list []*node) []alt {
	if len(list) == 0 {
		return nil
	}
	ways := make([]alt, len(list))
	for i, c := range list {
		ways[i] = lits(is(c))
	}
	return ways
}

// maxPaired is how many branches are looked at two by two.
const maxPaired = 128

// exactlyOne are the ways in which one branch accepts and the others refuse.
func exactlyOne(list []*node, k kind) []alt {
	if len(list) == 0 {
		return nil
	}
	if len(list) > maxPaired {
		return anyOf(list) // accepts more, which is safe to say of what is accepted
	}
	ways := []alt{}
	for i, c := range list {
		if c.never || !c.types.has(k) {
			continue
		}
		way := []lit{is(c)}
		for j, other := range list {
			if j != i && !other.never && other.types.has(k) {
				way = append(way, isNot(other))
			}
		}
		ways = append(ways, lits(way...))
	}
	return ways
}

func conditional(n *node) []alt {
	yes, no := []lit{is(n.cond)}, []lit{isNot(n.cond)}
	if n.then != nil {
		yes = append(yes, is(n.then))
	}
	if n.other != nil {
		no = append(no, is(n.other))
	}
	return []alt{lits(yes...), lits(no...)}
}

// split makes choices of the branches below a node that may evaluate properties
// or items or not: what is left over depends on them.
func (st *state) split(n *node, depth int) {
	if depth > MaxDepth {
		return
	}
	branch := func(c *node) {
		if speaks(c, depth) {
			st.choose([]alt{lits(is(c)), lits(isNot(c))})
			st.split(c, depth+1)
		}
	}
	if n.ref != nil {
		st.split(n.ref, depth+1)
	}
	for _, c := range n.allOf {
		st.split(c, depth+1)
	}
	for _, c := range n.anyOf {
		branch(c)
	}
	for _, c := range n.oneOf {
		branch(c)
	}
	if n.cond != nil {
		branch(n.cond)
	}
	for _, c := range []*node{n.then, n.other} {
		if c != nil {
			st.split(c, depth+1)
		}
	}
	for _, p := range n.implies {
		if st.kind == kindObject && speaks(p.node, depth) {
			st.choose([]alt{{{op: opProp, text: p.name}, {op: opLit, lits: []lit{is(p.node)}}}, {{op: opAbsent, text: p.name}}})
			st.split(p.node, depth+1)
		}
	}
}

// speaks tells whether a node says anything of parts of a value.
func speaks(n *node, depth int) bool {
	if n.groups() || n.lists() || n.contains != nil || n.restProps != nil || n.restItems != nil {
		return true
	}
	found := false
	if depth < MaxDepth {
		n.beside(func(c *node) { found = found || speaks(c, depth+1) })
	}
	return found
}

package schema

// state is what is known of a value of one kind: atoms that must hold, and
// choices of which one each must.
type state struct {
	kind    kind
	lits    []lit
	atoms   []atom
	choices [][]alt
	// values are the only ones left, if finite.
	values []any
	finite bool
	dead   bool
	*meter
}

func (st *state) clone() *state {
	st.spend(1 + (len(st.lits)+len(st.atoms)+len(st.choices))/16)
	c := *st
	c.lits = st.lits[:len(st.lits):len(st.lits)]
	c.atoms = st.atoms[:len(st.atoms):len(st.atoms)]
	c.choices = append([][]alt(nil), st.choices...)
	return &c
}

// with is the state in which an alternative holds as well.
func (st *state) with(a alt) *state {
	c := st.clone()
	c.apply(a)
	return c
}

func (st *state) apply(a alt) {
	for _, x := range a {
		switch x.op {
		case opNever:
			st.dead = true
		case opLit:
			for _, l := range x.lits {
				st.assert(l)
			}
		default:
			st.atoms = append(st.atoms, x)
			if x.op == opSomeProp && x.class.unseen != nil {
				st.split(x.class.unseen, 0)
			}
			if x.op == opSomeItem && x.node != nil {
				st.split(x.node, 0)
			}
		}
	}
}

// truth tells whether a node is known to accept the value, or to refuse it.
func (st *state) truth(n *node) (accepts, known bool) {
	if n.always() || n.never || !n.types.has(st.kind) {
		return n.always(), true
	}
	for _, l := range st.lits {
		if l.node.id == n.id {
			return !l.not, true
		}
	}
	return false, false
}

// assert adds a literal and what follows from it.
func (st *state) assert(l lit) {
	if st.dead || !st.spend(1+len(st.lits)/16) {
		return
	}
	if accepts, known := st.truth(l.node); known {
		st.dead = accepts == l.not
		return
	}
	st.lits = append(st.lits, l)
	if l.not {
		st.refuse(l.node)
	} else {
		st.accept(l.node)
	}
}

func (st *state) accept(n *node) {
	if n.values != nil {
		st.limit(n)
	}
	st.atoms = appendAtoms(st.atoms, n, st.kind)
	if n.ref != nil {
		st.assert(is(n.ref))
	}
	for _, c := range n.allOf {
		st.assert(is(c))
	}
	if n.not != nil {
		st.assert(isNot(n.not))
	}
	st.choose(anyOf(n.anyOf))
	st.choose(exactlyOne(n.oneOf, st.kind))
	if n.cond != nil {
		st.choose(conditional(n))
	}
	if n.restProps != nil && st.kind == kindObject || n.restItems != nil && st.kind == kindArray {
		st.split(n, 0)
	}
}

// limit leaves only the values of an enum.
func (st *state) limit(n *node) {
	var left []any
	of := n.values
	if st.finite {
		of = st.values
	}
	st.spend(len(of) / 4)
	for _, v := range of {
		if kindOf(v) == st.kind && n.has(v) {
			left = append(left, v)
		}
	}
	st.values, st.finite = left, true
	st.dead = len(left) == 0
}

func (st *state) refuse(n *node) {
	var ways []alt
	refused := refusals(n, st.kind)
	st.spend(2 * len(refused))
	for _, r := range refused {
		if len(r.alt) == 0 {
			return // refused whatever else it is
		}
		ways = append(ways, r.alt)
	}
	if len(ways) == 0 {
		st.dead = true
		return
	}
	st.choose(ways)
}

// choose adds a choice. Nil is none; what cannot be leaves it at once.
func (st *state) choose(ways []alt) {
	if ways == nil || st.dead {
		return
	}
	if !st.spend(len(ways)) {
		return
	}
	open := st.open(ways)
	switch {
	case open == nil:
	case len(open) == 0:
		st.dead = true
	case len(open) == 1:
		st.apply(open[0])
	default:
		st.choices = append(st.choices, open)
	}
}

// open are the alternatives that may still hold; nil when one does already.
func (st *state) open(ways []alt) []alt {
	left := ways[:0:0]
	if left == nil {
		left = []alt{}
	}
	for _, a := range ways {
		possible, done := st.possible(a)
		if done {
			return nil
		}
		if possible {
			left = append(left, a)
		}
	}
	return left
}

// possible tells whether an alternative may hold, and whether it does.
func (st *state) possible(a alt) (possible, done bool) {
	done = true
	for _, x := range a {
		if x.op != opLit {
			done = false
			continue
		}
		for _, l := range x.lits {
			accepts, known := st.truth(l.node)
			if known && accepts == l.not {
				return false, false
			}
			done = done && known
		}
	}
	return true, done
}

// settle looks at the choices again, until none of them follows from what is
// known.
func (st *state) settle() {
	for changed := true; changed && !st.dead && st.spend(1+len(st.choices)); {
		changed = st.follow()
		choices := st.choices
		st.choices = nil
		for _, ways := range choices {
			before := len(st.lits) + len(st.atoms)
			st.choose(ways)
			changed = changed || len(st.lits)+len(st.atoms) != before
		}
	}
}

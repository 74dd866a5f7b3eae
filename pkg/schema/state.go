package schema

// state collects the constraints on a value of one kind: atoms that must hold, and
// choices of which one alternative must.
type state struct {
	kind    kind
	lits    []literal
	atoms   []atom
	choices [][]conjunction
	// values are the only values left, if finite.
	values     []any
	finite     bool
	impossible bool
	*meter
}

func (st *state) clone() *state {
	st.spend(1 + (len(st.lits)+len(st.atoms)+len(st.choices))/16)
	c := *st
	c.lits = st.lits[:len(st.lits):len(st.lits)]
	c.atoms = st.atoms[:len(st.atoms):len(st.atoms)]
	c.choices = append([][]conjunction(nil), st.choices...)
	return &c
}

// with returns the state in which a conjunction holds as well.
func (st *state) with(a conjunction) *state {
	c := st.clone()
	c.assumeAll(a)
	return c
}

func (st *state) assumeAll(a conjunction) {
	for _, x := range a {
		switch x.op {
		case opNever:
			st.impossible = true
		case opLiterals:
			for _, l := range x.lits {
				st.assumeLiteral(l)
			}
		default:
			st.atoms = append(st.atoms, x)
			if x.op == opSomeProp && x.class.unseen != nil {
				st.splitBranches(x.class.unseen)
			}
			if x.op == opSomeItem && x.node != nil {
				st.splitBranches(x.node)
			}
		}
	}
}

// knownVerdict reports whether a node accepts the value, and whether that is known.
func (st *state) knownVerdict(n *node) (accepts, known bool) {
	switch {
	case n.acceptsNone || !n.types.has(st.kind):
		return false, true
	case n.acceptedKinds.has(st.kind):
		return true, true
	}
	st.spend(len(st.lits) / scannedPerUnit)
	for _, l := range st.lits {
		if l.node.id == n.id {
			return !l.not, true
		}
	}
	return false, false
}

// assumeLiteral adds a literal and its consequences.
func (st *state) assumeLiteral(l literal) {
	if st.impossible || !st.spend(1+len(st.lits)/16) {
		return
	}
	if accepts, known := st.knownVerdict(l.node); known {
		st.impossible = accepts == l.not
		return
	}
	st.lits = append(st.lits, l)
	if l.not {
		st.assumeRefused(l.node)
	} else {
		st.assumeAccepted(l.node)
	}
}

func (st *state) assumeAccepted(n *node) {
	if n.enum != nil {
		st.limitValues(n)
	}
	st.atoms = appendAtoms(st.atoms, n, st.kind)
	if n.ref != nil {
		st.assumeLiteral(accepts(n.ref))
	}
	for _, c := range n.allOf {
		st.assumeLiteral(accepts(c))
	}
	if n.not != nil {
		st.assumeLiteral(refuses(n.not))
	}
	st.addChoice(anyOfWays(n.anyOf))
	st.addChoice(oneOfWays(n.oneOf, st.kind))
	if n.ifNode != nil {
		st.addChoice(conditionalWays(n))
	}
	if n.unevaluatedProps != nil && st.kind == kindObject || n.unevaluatedItems != nil && st.kind == kindArray {
		st.splitBranches(n)
	}
}

// limitValues keeps the values of an enum only.
func (st *state) limitValues(n *node) {
	var left []any
	of := n.enum
	if st.finite {
		of = st.values
	}
	st.spend(len(of) / 4)
	for _, v := range of {
		if kindOf(v) == st.kind && n.hasValue(st.meter, v) {
			left = append(left, v)
		}
	}
	st.values, st.finite = left, true
	st.impossible = len(left) == 0
}

func (st *state) assumeRefused(n *node) {
	var ways []conjunction
	refused := listRefusals(n, st.kind)
	st.spend(2 * len(refused))
	for _, r := range refused {
		if len(r.alt) == 0 {
			return // refused whatever else it is
		}
		ways = append(ways, r.alt)
	}
	if len(ways) == 0 {
		st.impossible = true
		return
	}
	st.addChoice(ways)
}

// addChoice adds a choice without its impossible alternatives. Nil is no choice.
func (st *state) addChoice(ways []conjunction) {
	if ways == nil || st.impossible {
		return
	}
	if !st.spend(len(ways)) {
		return
	}
	open := st.openWays(ways)
	switch {
	case open == nil:
	case len(open) == 0:
		st.impossible = true
	case len(open) == 1:
		st.assumeAll(open[0])
	default:
		st.choices = append(st.choices, open)
	}
}

// openWays returns the alternatives that may still hold; nil when one holds already.
func (st *state) openWays(ways []conjunction) []conjunction {
	left := ways[:0:0]
	if left == nil {
		left = []conjunction{}
	}
	for _, a := range ways {
		possible, done := st.isPossible(a)
		if done {
			return nil
		}
		if possible {
			left = append(left, a)
		}
	}
	return left
}

// isPossible reports whether an alternative may hold, and whether it does already.
func (st *state) isPossible(a conjunction) (possible, done bool) {
	done = true
	for _, x := range a {
		if x.op == opProp || x.op == opAbsent {
			holds, known := st.knownProp(x)
			if known && !holds {
				return false, false
			}
			done = done && known
			continue
		}
		if x.op != opLiterals {
			done = false
			continue
		}
		for _, l := range x.lits {
			accepts, known := st.knownVerdict(l.node)
			if known && accepts == l.not {
				return false, false
			}
			done = done && known
		}
	}
	return true, done
}

// propagateChoices reduces the choices until no alternative follows from what is known.
func (st *state) propagateChoices() {
	for changed := true; changed && !st.impossible && st.spend(1+len(st.choices)); {
		changed = st.followDependencies()
		choices := st.choices
		st.choices = nil
		for _, ways := range choices {
			before := len(st.lits) + len(st.atoms)
			st.addChoice(ways)
			changed = changed || len(st.lits)+len(st.atoms) != before
		}
	}
}

// knownProp reports whether an atom about a property holds, and whether that is
// known. A property with few values, such as a tag, decides what a union leaves open.
func (st *state) knownProp(x atom) (holds, known bool) {
	present, absent, few := st.propOf(x.text)
	if absent || x.op == opAbsent {
		return absent == (x.op == opAbsent), absent || present
	}
	holds, known = true, present
	for _, l := range x.lits {
		always, never := l.decidesEnum(st.meter, few)
		if never {
			return false, true
		}
		known = known && always
	}
	return holds, known
}

// propOf returns what the atoms state of a property, and an enum of its values.
func (st *state) propOf(name string) (present, absent bool, few *node) {
	st.spend(len(st.atoms) / scannedPerUnit)
	for _, a := range st.atoms {
		switch {
		case a.op == opProps:
			if n := findProp(a.node.props, name); n != nil && n.enum != nil {
				few = n
			}
		case a.text != name:
		case a.op == opAbsent:
			absent = true
		case a.op == opProp:
			present = true
			for _, l := range a.lits {
				if l.node.enum != nil && !l.not {
					few = l.node
				}
			}
		}
	}
	return present, absent, few
}

// decidesEnum reports whether all values of an enum pass the literal, or none does. It
// knows only of literals that are enums themselves.
func (l literal) decidesEnum(m *meter, few *node) (always, never bool) {
	if few == nil || l.node.enum == nil || len(few.enum) > maxUnindexed {
		return false, false
	}
	in := 0
	for _, v := range few.enum {
		if l.node.hasValue(m, v) {
			in++
		}
	}
	all, none := in == len(few.enum) && l.node.onlyEnum, in == 0
	if l.not {
		return none, all
	}
	return all, none
}

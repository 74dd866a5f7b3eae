package schema

// follow adds what dependentRequired and dependentSchemas make of the properties
// that are known to be there or not. It tells whether that is anything new.
func (st *state) follow() bool {
	if st.kind != kindObject || !st.any(func(a atom) bool { return a.op == opNeed || a.op == opImplies }) {
		return false
	}
	there := map[string]bool{}
	for _, a := range st.atoms {
		if a.op == opProp || a.op == opAbsent {
			there[a.text] = a.op == opProp
		}
	}
	before := len(st.lits) + len(st.atoms)
	for _, a := range st.atoms[:len(st.atoms):len(st.atoms)] {
		switch a.op {
		case opNeed:
			for _, d := range a.node.needs {
				st.need(d, there)
			}
		case opImplies:
			for _, p := range a.node.implies {
				if there[p.name] {
					st.assert(is(p.node))
				}
			}
		}
	}
	return len(st.lits)+len(st.atoms) != before
}

func (st *state) need(d need, there map[string]bool) {
	present, known := there[d.name]
	for _, name := range d.names {
		other, decided := there[name]
		switch {
		case present && !decided:
			there[name] = true
			st.atoms = append(st.atoms, atom{op: opProp, text: name})
		case decided && !other && !known:
			there[d.name] = false
			st.atoms = append(st.atoms, atom{op: opAbsent, text: d.name})
			present, known = false, true
		case present && !other:
			st.dead = true
		}
	}
}

package schema

// followDependencies applies dependentRequired and dependentSchemas to the
// properties that are known to be present or absent. It reports whether anything new
// follows.
func (st *state) followDependencies() bool {
	if st.kind != kindObject || !st.hasAtom(func(a atom) bool { return a.op == opDependentRequired || a.op == opDependentSchemas }) {
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
		case opDependentRequired:
			for _, d := range a.node.dependentRequired {
				st.followRequired(d, there)
			}
		case opDependentSchemas:
			for _, p := range a.node.dependentSchemas {
				if there[p.name] {
					st.assumeLiteral(accepts(p.node))
				}
			}
		}
	}
	return len(st.lits)+len(st.atoms) != before
}

func (st *state) followRequired(d dependency, there map[string]bool) {
	present, known := there[d.name]
	for _, name := range d.requires {
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
			st.impossible = true
		}
	}
}

package schema

// count decides what can be decided of how many items pass something, and makes
// up a list with as many as are wanted.
func (s *solver) count(st *state, r *rules, low, high int, g goal) result {
	for _, a := range r.counted {
		if s.miscounts(r, a, low, high) {
			return proven
		}
	}
	for _, a := range r.counted {
		if a.op == opContains {
			return s.place(st, r, a, g)
		}
	}
	return s.avoid(st, r, low, g)
}

// miscounts proves that a count cannot be: too few items may pass, or too many
// must.
func (s *solver) miscounts(r *rules, a atom, low, high int) bool {
	if a.op == opContains {
		return high != none && a.n > high || s.room(r, a, high) || s.atMost(r, a)
	}
	forced := 0
	for i := 0; i < low && i <= r.tail(); i++ {
		if s.solve(append(r.item(s, i), negated(a.lits)...)).verdict != impossible {
			continue
		}
		if i == r.tail() {
			forced += low - i
			break
		}
		forced++
	}
	return forced > a.n
}

// room tells that too few places can hold what passes.
func (s *solver) room(r *rules, a atom, high int) bool {
	places := 0
	for i := 0; i <= r.tail(); i++ {
		if high != none && i >= high {
			break
		}
		if s.solve(append(r.item(s, i), a.lits...)).verdict == impossible {
			continue
		}
		if i == r.tail() && (high == none || high > i) {
			if high == none {
				return false
			}
			places += high - i
			break
		}
		places++
	}
	return places < a.n
}

// atMost tells that another count allows fewer of what a wants, or of something
// wider.
func (s *solver) atMost(r *rules, a atom) bool {
	for _, b := range r.counted {
		if b.op != opFew || b.n >= a.n {
			continue
		}
		if s.solve(append(a.lits[:len(a.lits):len(a.lits)], negated(b.lits)...)).verdict == impossible {
			return true
		}
	}
	return false
}

// negated turns around literals that stand alone: atoms that count hold one.
func negated(of []lit) []lit {
	if len(of) != 1 {
		return nil
	}
	return []lit{{of[0].node, !of[0].not}}
}

// place puts what is to be counted where it can be, from the first place on.
func (s *solver) place(st *state, r *rules, a atom, g goal) result {
	if a.n > maxWitness {
		return unsure
	}
	rest := st.clone()
	rest.atoms = rest.atoms[:0:0]
	for _, b := range st.atoms {
		if b.op != opContains || b.n != a.n || keyOf(b.lits) != keyOf(a.lits) {
			rest.atoms = append(rest.atoms, b)
		}
	}
	placed := 0
	for i := 0; placed < a.n && i < a.n+r.tail()+1; i++ {
		if s.solve(append(r.item(s, i), a.lits...)).verdict == possible {
			rest.atoms = append(rest.atoms, atom{op: opItem, n: i, lits: a.lits})
			placed++
		}
	}
	if placed < a.n {
		return unsure
	}
	x := s.branch(rest, g)
	if x.verdict == impossible {
		return unsure // in other places it may be possible
	}
	return x
}

// avoid makes up a list whose items do not count where they need not.
func (s *solver) avoid(st *state, r *rules, low int, g goal) result {
	rest := st.clone()
	rest.atoms = without(rest.atoms, opFew)
	for _, a := range r.counted {
		for i := range low {
			not := negated(a.lits)
			if s.solve(append(r.item(s, i), not...)).verdict == possible {
				rest.atoms = append(rest.atoms, atom{op: opItem, n: i, lits: not})
			}
		}
	}
	x := s.branch(rest, g)
	if x.verdict == impossible {
		return unsure
	}
	return x
}

package schema

// solveCounts decides the constraints of contains and constructs a list that meets
// them.
func (s *solver) solveCounts(st *state, r *partRules, low, high int, g goal) result {
	for _, a := range r.counts {
		if s.isCountImpossible(r, a, low, high) {
			return proven
		}
	}
	for _, a := range r.counts {
		if a.op == opMinContained {
			return s.placeContained(st, r, a, g)
		}
	}
	return s.avoidContained(st, r, low, g)
}

// isCountImpossible reports whether a count is proven impossible: too few items can
// match, or too many must.
func (s *solver) isCountImpossible(r *partRules, a atom, low, high int) bool {
	if a.op == opMinContained {
		return high != unlimited && a.n > high || s.lacksPlaces(r, a, high) || s.exceedsOtherCount(r, a)
	}
	forced := 0
	for i := 0; i < low && i <= r.firstUniformItem(); i++ {
		if s.solveLiterals(append(r.literalsForItem(s, i), negateLiteral(a.lits)...)).verdict != impossible {
			continue
		}
		if i == r.firstUniformItem() {
			forced += low - i
			break
		}
		forced++
	}
	return forced > a.n
}

// lacksPlaces reports whether too few places can hold a matching item.
func (s *solver) lacksPlaces(r *partRules, a atom, high int) bool {
	places := 0
	for i := 0; i <= r.firstUniformItem(); i++ {
		if high != unlimited && i >= high {
			break
		}
		if s.solveLiterals(append(r.literalsForItem(s, i), a.lits...)).verdict == impossible {
			continue
		}
		if i == r.firstUniformItem() && (high == unlimited || high > i) {
			if high == unlimited {
				return false
			}
			places += high - i
			break
		}
		places++
	}
	return places < a.n
}

// exceedsOtherCount reports whether another count allows fewer of the same, or of
// wider, items.
func (s *solver) exceedsOtherCount(r *partRules, a atom) bool {
	for _, b := range r.counts {
		if b.op != opMaxContained || b.n >= a.n {
			continue
		}
		if s.solveLiterals(append(a.lits[:len(a.lits):len(a.lits)], negateLiteral(b.lits)...)).verdict == impossible {
			return true
		}
	}
	return false
}

// negateLiteral returns the opposite of a single literal; atoms that count hold one.
func negateLiteral(of []literal) []literal {
	if len(of) != 1 {
		return nil
	}
	return []literal{{of[0].node, !of[0].not}}
}

// placeContained places the counted items at the first places that can hold them.
func (s *solver) placeContained(st *state, r *partRules, a atom, g goal) result {
	if a.n > maxWitnessLength {
		return unsure
	}
	rest := st.clone()
	rest.atoms = rest.atoms[:0:0]
	for _, b := range st.atoms {
		if b.op != opMinContained || b.n != a.n || literalsKey(b.lits) != literalsKey(a.lits) {
			rest.atoms = append(rest.atoms, b)
		}
	}
	placed := 0
	for i := 0; placed < a.n && i < a.n+r.firstUniformItem()+1; i++ {
		if s.solveLiterals(append(r.literalsForItem(s, i), a.lits...)).verdict == possible {
			rest.atoms = append(rest.atoms, atom{op: opItem, n: i, lits: a.lits})
			placed++
		}
	}
	if placed < a.n {
		return unsure
	}
	x := s.solveState(rest, g)
	if x.verdict == impossible {
		return unsure // in other places it may be possible
	}
	return x
}

// avoidContained constructs a list whose items match only where they must.
func (s *solver) avoidContained(st *state, r *partRules, low int, g goal) result {
	rest := st.clone()
	rest.atoms = withoutOperator(rest.atoms, opMaxContained)
	for _, a := range r.counts {
		for i := range low {
			not := negateLiteral(a.lits)
			if s.solveLiterals(append(r.literalsForItem(s, i), not...)).verdict == possible {
				rest.atoms = append(rest.atoms, atom{op: opItem, n: i, lits: not})
			}
		}
	}
	x := s.solveState(rest, g)
	if x.verdict == impossible {
		return unsure
	}
	return x
}

package schema

import "slices"

// placeItem places a required item at each index, up to the first index from which
// all items are alike.
func (s *solver) placeItem(st *state, a atom, g goal) result {
	r := newPartRules(st)
	tail := max(r.firstUniformItem(), a.firstUniformItem())
	_, high := st.sizeBounds(opMinItems, opMaxItems)
	out := proven
	for i := a.n; i <= tail; i++ {
		if high != unlimited && i >= high {
			break
		}
		extra, can := r.soughtAt(a, i)
		if !can {
			continue
		}
		// Solving the item alone is cheaper than solving the list.
		if s.solveLiterals(append(r.literalsForItem(s, i), extra...)).verdict == impossible {
			continue
		}
		switch x := s.solveState(st.with(conjunction{{op: opItem, n: i, lits: extra}}), g); x.verdict {
		case possible:
			return x
		case unknown:
			out = unsure
		}
	}
	return out
}

// soughtAt returns what the sought item must pass at an index, and reports whether
// it may be there.
func (r *partRules) soughtAt(a atom, i int) ([]literal, bool) {
	if a.node == nil {
		return a.lits, true
	}
	sc := evaluationScope{r.st, false}
	if sc.evaluatesItem(a.node, i) {
		return nil, false
	}
	extra := a.lits
	for _, c := range sc.containsNodes(a.node) {
		extra = append(extra[:len(extra):len(extra)], refuses(c))
	}
	return extra, true
}

func (s *solver) solveArray(st *state, g goal) result {
	r := newPartRules(st)
	low, high := st.sizeBounds(opMinItems, opMaxItems)
	low, high = r.narrowSize(low, high)
	if high != unlimited && low > high || r.uniqueItems && r.notUnique {
		return proven
	}
	if low > maxWitnessLength {
		return unsure
	}
	if high == 0 {
		return g.pickValue(func(yield func(any) bool) { yield([]any{}) })
	}
	if r.notUnique {
		return s.placeEqualItems(st, r, high, g)
	}
	if len(r.counts) > 0 {
		if done := s.solveCounts(st, r, low, high, g); done.verdict != unknown {
			return done
		}
	}
	return s.makeList(r, low, high, g)
}

// narrowSize returns the bounds of the size that items and counts leave.
func (r *partRules) narrowSize(low, high int) (least, most int) {
	for i := range r.items {
		low = max(low, i+1)
	}
	for _, a := range r.counts {
		switch {
		case a.op == opMinContained:
			low = max(low, a.n)
		case passAll(a.lits) && (high == unlimited || a.n < high):
			high = a.n
		}
	}
	return low, high
}

// passAll reports whether every value passes literals.
func passAll(lits []literal) bool {
	return !slices.ContainsFunc(lits, func(l literal) bool { return l.not || !l.node.acceptsAll() })
}

// makeList constructs a list of the minimum length.
func (s *solver) makeList(r *partRules, low, high int, g goal) result {
	v := make([]any, 0, low)
	open := false
	for i := 0; i < low; i++ {
		x := s.makeItem(r, i, v)
		switch x.verdict {
		case impossible:
			if open && r.uniqueItems {
				return unsure // other items before it may leave it possible
			}
			return s.proveItemsImpossible(r, low, x)
		case unknown:
			return unsure
		}
		open = open || r.uniqueItems
		v = append(v, x.value)
	}
	if g.isMetBy(v) {
		return foundValue(v)
	}
	// One or two more items often avoid excluded values and satisfy open choices.
	for range 3 {
		if high != unlimited && len(v) >= high {
			break
		}
		x := s.makeItem(r, len(v), v)
		if x.verdict != possible {
			break
		}
		if v = append(v[:len(v):len(v)], x.value); g.isMetBy(v) {
			return foundValue(v)
		}
	}
	return s.varyItems(r, v, low, g)
}

func (s *solver) makeItem(r *partRules, i int, before []any) result {
	of := r.literalsForItem(s, i)
	if !r.uniqueItems || len(before) == 0 {
		return s.solveLiterals(of)
	}
	s.spend(len(before) / 4)
	if x := s.solveLiterals(of); x.verdict != possible || !containsValue(before, x.value) {
		return x
	}
	return s.solveLiterals(append(of[:len(of):len(of)], s.noneOf(before)...))
}

// proveItemsImpossible reports whether unique items are certain to run out: only
// when one of them is impossible by itself.
func (s *solver) proveItemsImpossible(r *partRules, low int, x result) result {
	if !r.uniqueItems {
		return x
	}
	for i := range low {
		if s.solveLiterals(r.literalsForItem(s, i)).verdict == impossible {
			return proven
		}
	}
	return unsure
}

// varyItems replaces one item at a time.
func (s *solver) varyItems(r *partRules, v []any, low int, g goal) result {
	for i := range v {
		if s.isExhausted() {
			break
		}
		of := r.literalsForItem(s, i)
		x := s.solveLiterals(append(of[:len(of):len(of)], s.noneOf(v[i:i+1])...))
		if x.verdict != possible {
			continue
		}
		w := append([]any(nil), v...)
		w[i] = x.value
		if g.isMetBy(w) {
			return foundValue(w)
		}
	}
	for size := range low {
		if g.isMetBy(v[:size]) {
			return foundValue(v[:size])
		}
	}
	return unsure
}

// placeEqualItems constructs a list with two equal items.
func (s *solver) placeEqualItems(st *state, r *partRules, high int, g goal) result {
	tail := r.firstUniformItem() + 1
	out := proven
	for j := 1; j <= tail; j++ {
		if high != unlimited && j >= high {
			break
		}
		for i := range j {
			both := append(r.literalsForItem(s, i), r.literalsForItem(s, j)...)
			rest := st.clone()
			rest.atoms = withoutOperator(rest.atoms, opNotUnique)
			if s.solveState(rest.with(conjunction{{op: opItem, n: i, lits: both}, {op: opItem, n: j, lits: both}}), goal{meter: s.meter}).verdict == impossible {
				continue // whatever the two are
			}
			x := s.solveLiterals(both)
			if x.verdict == possible {
				twin := []literal{accepts(s.enumNode([]any{x.value}))}
				x = s.solveState(rest.with(conjunction{{op: opItem, n: i, lits: twin}, {op: opItem, n: j, lits: twin}}), g)
			}
			if x.verdict == possible {
				return x
			}
			if x.verdict == unknown || s.solveLiterals(both).verdict != impossible {
				out = unsure // equal items of another value may do
			}
		}
	}
	return out
}

func withoutOperator(atoms []atom, o operator) []atom {
	out := make([]atom, 0, len(atoms))
	for _, a := range atoms {
		if a.op != o {
			out = append(out, a)
		}
	}
	return out
}

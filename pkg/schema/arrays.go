package schema

// someItem places an item that must be somewhere: at each index up to the first
// of those that are alike.
func (s *solver) someItem(st *state, a atom, g goal) result {
	r := rulesOf(st)
	tail := max(r.tail(), a.n)
	_, high := st.lengths(opMinItems, opMaxItems)
	out := proven
	for i := a.n; i <= tail; i++ {
		if high != none && i >= high {
			break
		}
		extra, can := r.someItem(a, i)
		if !can {
			continue
		}
		// A look at the item alone is cheaper than one at the whole.
		if s.solve(append(r.item(s, i), extra...)).verdict == impossible {
			continue
		}
		switch x := s.branch(st.with(alt{{op: opItem, n: i, lits: extra}}), g); x.verdict {
		case possible:
			return x
		case unknown:
			out = unsure
		}
	}
	return out
}

// someItem tells what the item that is sought must pass at an index, and whether
// it may be there.
func (r *rules) someItem(a atom, i int) ([]lit, bool) {
	if a.node == nil {
		return a.lits, true
	}
	sc := scope{r.st, false}
	if sc.seesItem(a.node, i) {
		return nil, false
	}
	extra := a.lits
	for _, c := range sc.containing(a.node) {
		extra = append(extra[:len(extra):len(extra)], isNot(c))
	}
	return extra, true
}

func (s *solver) arrayLeaf(st *state, g goal) result {
	r := rulesOf(st)
	low, high := st.lengths(opMinItems, opMaxItems)
	for i := range r.items {
		low = max(low, i+1)
	}
	if high != none && low > high || r.unique && r.notUnique {
		return proven
	}
	if low > maxWitness {
		return unsure
	}
	if high == 0 {
		return g.pick(func(yield func(any) bool) { yield([]any{}) })
	}
	if r.notUnique {
		return s.twins(st, r, high, g)
	}
	if len(r.counted) > 0 {
		if done := s.count(st, r, low, high, g); done.verdict != unknown {
			return done
		}
	}
	return s.list(r, low, high, g)
}

// list makes up a list of the least length.
func (s *solver) list(r *rules, low, high int, g goal) result {
	v := make([]any, 0, low)
	open := false
	for i := 0; i < low; i++ {
		x := s.next(r, i, v)
		switch x.verdict {
		case impossible:
			if open && r.unique {
				return unsure // other items before it may leave it possible
			}
			return s.pigeons(r, low, x)
		case unknown:
			return unsure
		}
		open = open || r.unique
		v = append(v, x.value)
	}
	if g.passes(v) {
		return found(v)
	}
	// Values that are excluded, and what a choice still open may want, are often
	// met by one or two more items.
	for range 3 {
		if high != none && len(v) >= high {
			break
		}
		x := s.next(r, len(v), v)
		if x.verdict != possible {
			break
		}
		if v = append(v[:len(v):len(v)], x.value); g.passes(v) {
			return found(v)
		}
	}
	return s.vary(r, v, low, g)
}

// next makes up the next item.
func (s *solver) next(r *rules, i int, before []any) result {
	of := r.item(s, i)
	if !r.unique || len(before) == 0 {
		return s.solve(of)
	}
	if x := s.solve(of); x.verdict != possible || !holds(before, x.value) {
		return x
	}
	return s.solve(append(of[:len(of):len(of)], s.other(before)...))
}

// pigeons proves that unique items run out: at least one of them was impossible
// beside the others. It is certain only where it is impossible alone.
func (s *solver) pigeons(r *rules, low int, x result) result {
	if !r.unique {
		return x
	}
	for i := range low {
		if s.solve(r.item(s, i)).verdict == impossible {
			return proven
		}
	}
	return unsure
}

// vary tries other items in the places of a list.
func (s *solver) vary(r *rules, v []any, low int, g goal) result {
	for i := range v {
		of := r.item(s, i)
		x := s.solve(append(of[:len(of):len(of)], s.other(v[i:i+1])...))
		if x.verdict != possible {
			continue
		}
		w := append([]any(nil), v...)
		w[i] = x.value
		if g.passes(w) {
			return found(w)
		}
	}
	for size := range low {
		if g.passes(v[:size]) {
			return found(v[:size])
		}
	}
	return unsure
}

// twins makes up a list in which two items are equal.
func (s *solver) twins(st *state, r *rules, high int, g goal) result {
	tail := r.tail() + 1
	out := proven
	for j := 1; j <= tail; j++ {
		if high != none && j >= high {
			break
		}
		for i := range j {
			both := append(r.item(s, i), r.item(s, j)...)
			x := s.solve(both)
			if x.verdict == possible {
				twin := []lit{is(s.constant(x.value))}
				rest := st.clone()
				rest.atoms = without(rest.atoms, opNotUnique)
				x = s.branch(rest.with(alt{{op: opItem, n: i, lits: twin}, {op: opItem, n: j, lits: twin}}), g)
			}
			if x.verdict == possible {
				return x
			}
			if x.verdict == unknown || s.solve(both).verdict != impossible {
				out = unsure // equal items of another value may do
			}
		}
	}
	return out
}

func without(atoms []atom, o op) []atom {
	out := make([]atom, 0, len(atoms))
	for _, a := range atoms {
		if a.op != o {
			out = append(out, a)
		}
	}
	return out
}

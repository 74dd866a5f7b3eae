package schema

import "slices"

// someProp places a property that must be somewhere: under each name that is
// mentioned, and under one that is not.
func (s *solver) someProp(st *state, a atom, g goal) result {
	r := rulesOf(st)
	out := proven
	for _, name := range r.mentioned(a.class) {
		x := s.under(st, r, a, name, g)
		if x.verdict == possible {
			return x
		}
		if x.verdict == unknown {
			out = unsure
		}
	}
	x := s.unmentioned(st, r, a, g)
	if x.verdict == impossible {
		return out
	}
	return x
}

// under places the property under a name.
func (s *solver) under(st *state, r *rules, a atom, name string, g goal) result {
	if r.absent[name] || !a.class.admits(named(name), st) || !s.passes(a.class.names, name) || !s.allowed(r, name) {
		return proven
	}
	of := append(r.prop(named(name)), a.lits...)
	if s.solve(of).verdict == impossible {
		return proven
	}
	return s.branch(st.with(alt{{op: opProp, text: name, lits: a.lits}}), g)
}

// allowed tells whether propertyNames lets a name be.
func (s *solver) allowed(r *rules, name string) bool {
	return s.passes(r.names, name)
}

// passes tells whether a name may pass literals.
func (s *solver) passes(names []lit, name string) bool {
	g := goal{lits: names, meter: s.meter}
	return len(names) == 0 || g.passes(name) || g.under(s.doubts, name)
}

// unmentioned places the property under a name that no schema mentions. Such
// names differ by the patterns they match: each combination is looked at.
func (s *solver) unmentioned(st *state, r *rules, a atom, g goal) result {
	if _, high := st.lengths(opMinProps, opMaxProps); high != none && len(r.props) >= high {
		return proven // every property there may be has a name
	}
	out := proven
	for v := range r.signs(a.class) {
		if s.step() {
			return unsure
		}
		if !a.class.admits(v, st) || s.solve(append(r.prop(v), a.lits...)).verdict == impossible {
			continue
		}
		name := s.name(r, v, a.class.names)
		if name.verdict == impossible {
			continue
		}
		if name.verdict == possible {
			x := s.branch(st.with(alt{{op: opProp, text: name.value.(string), lits: a.lits}}), g)
			if x.verdict == possible {
				return x
			}
			if x.verdict == impossible && r.alone(st, a.class) {
				continue
			}
		}
		out = unsure
	}
	return out
}

// alone tells that nothing but what the value of a property must pass can have
// made it impossible under one name, so that it is under every other.
func (r *rules) alone(st *state, c *nameClass) bool {
	return len(st.choices) == 0 && len(r.patterns(c)) <= maxSigns && !st.any(func(a atom) bool { return a.op == opNeed || a.op == opImplies })
}

// name makes up a name that matches as a view says and that nothing mentions.
func (s *solver) name(r *rules, v view, more []lit) result {
	way := alt{{op: opNoneOf, values: values(r.mentioned(nil))}}
	for _, p := range v.known {
		if v.signs[p.text] {
			way = append(way, atom{op: opPattern, pattern: p})
		} else {
			way = append(way, atom{op: opNoPattern, pattern: p})
		}
	}
	return s.kind(kindString, append(r.names[:len(r.names):len(r.names)], more...), way)
}

// objectLeaf decides an object by its parts, and makes one up.
func (s *solver) objectLeaf(st *state, g goal) result {
	r := rulesOf(st)
	low, high := st.lengths(opMinProps, opMaxProps)
	if high != none && (low > high || len(r.props) > high) {
		return proven
	}
	v := make(map[string]any, len(r.props))
	out := result{verdict: possible}
	for _, name := range sortedKeys(r.props) {
		if r.absent[name] || !s.allowed(r, name) {
			return proven
		}
		x := s.solve(r.prop(named(name)))
		if x.verdict == impossible {
			return proven
		}
		if x.verdict == unknown {
			out = unsure
			continue
		}
		v[name] = x.value
	}
	if out.verdict == unknown {
		return out
	}
	if x := s.fill(r, v, low); x.verdict != possible {
		return x
	}
	if g.passes(v) {
		return found(v)
	}
	return s.more(r, v, high, g)
}

// fill adds properties until there are enough.
func (s *solver) fill(r *rules, v map[string]any, low int) result {
	if len(v) >= low {
		return found(v)
	}
	if low > maxWitness {
		return unsure
	}
	certain := true
	for _, name := range r.mentioned(nil) {
		if _, there := v[name]; there || r.absent[name] || !s.allowed(r, name) {
			continue
		}
		x := s.solve(r.prop(named(name)))
		certain = certain && x.verdict != unknown
		if x.verdict == possible {
			if v[name] = x.value; len(v) >= low {
				return found(v)
			}
		}
	}
	return s.invent(r, v, low, certain)
}

// invent adds properties under names that nothing mentions.
func (s *solver) invent(r *rules, v map[string]any, low int, certain bool) result {
	var taken []any
	for view := range r.signs(nil) {
		x := s.solve(r.prop(view))
		if x.verdict == impossible {
			continue
		}
		for len(v) < low {
			if s.step() {
				return unsure
			}
			name := s.name(r, view, s.other(taken))
			if name.verdict == impossible {
				break
			}
			if name.verdict == unknown || x.verdict == unknown {
				certain = false
				break
			}
			taken = append(taken[:len(taken):len(taken)], name.value)
			v[name.value.(string)] = x.value
		}
	}
	if len(v) >= low {
		return found(v)
	}
	if certain {
		return proven
	}
	return unsure
}

// more adds a property that need not be there: what is excluded, or what a choice
// that is still open wants, is often met by one.
func (s *solver) more(r *rules, v map[string]any, high int, g goal) result {
	if high != none && len(v) >= high {
		return unsure
	}
	names := r.mentioned(nil)
	if len(names) > 16 {
		names = names[:16]
	}
	if x := s.name(r, view{any: true}, nil); x.verdict == possible {
		names = append(slices.Clone(names), x.value.(string))
	}
	for _, name := range names {
		if _, there := v[name]; there || r.absent[name] || !s.allowed(r, name) {
			continue
		}
		x := s.solve(r.prop(named(name)))
		if x.verdict != possible {
			continue
		}
		v[name] = x.value
		if g.passes(v) {
			return found(v)
		}
		delete(v, name)
	}
	return unsure
}

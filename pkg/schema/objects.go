package schema

import "slices"

// placeProp places a required property under each mentioned name, and under one that
// is not mentioned.
func (s *solver) placeProp(st *state, a atom, g goal) result {
	r := newPartRules(st)
	out := proven
	for _, name := range r.mentionedNames(a.class) {
		x := s.placePropUnder(st, r, a, name, g)
		if x.verdict == possible {
			return x
		}
		if x.verdict == unknown {
			out = unsure
		}
	}
	x := s.placeUnmentionedProp(st, r, a, g)
	if x.verdict == impossible {
		return out
	}
	return x
}

func (s *solver) placePropUnder(st *state, r *partRules, a atom, name string, g goal) result {
	if r.absentProps[name] || !a.class.admitsName(s.viewOf(name), st) || !s.acceptsName(a.class.passing, name) || !s.allowsName(r, name) {
		return proven
	}
	of := append(r.literalsForProp(s.viewOf(name)), a.lits...)
	if s.solveLiterals(of).verdict == impossible {
		return proven
	}
	return s.solveState(st.with(conjunction{{op: opProp, text: name, lits: a.lits}}), g)
}

// allowsName reports whether propertyNames may accept a name.
func (s *solver) allowsName(r *partRules, name string) bool {
	return s.acceptsName(r.propertyNames, name)
}

// acceptsName reports whether a name may pass literals.
func (s *solver) acceptsName(names []literal, name string) bool {
	g := goal{lits: names, unknownReadings: s.unknownReadings, meter: s.meter}
	return len(names) == 0 || g.mayBeMetBy(name)
}

// placeUnmentionedProp places the property under a name that no schema mentions,
// once for each combination of patterns that it can match.
func (s *solver) placeUnmentionedProp(st *state, r *partRules, a atom, g goal) result {
	if _, high := st.sizeBounds(opMinProps, opMaxProps); high != unlimited && len(r.presentProps) >= high {
		return proven // every property there may be has a name
	}
	out := proven
	for v := range r.nameCombinations(a.class) {
		if s.isOutOfSteps() {
			return unsure
		}
		if !a.class.admitsName(v, st) || s.solveLiterals(append(r.literalsForProp(v), a.lits...)).verdict == impossible {
			continue
		}
		name := s.inventName(r, v, a.class, a.class.passing)
		if name.verdict == impossible {
			continue
		}
		if name.verdict == possible {
			x := s.solveState(st.with(conjunction{{op: opProp, text: name.value.(string), lits: a.lits}}), g)
			if x.verdict == possible {
				return x
			}
			if x.verdict == impossible && r.dependsOnValueOnly(st, a.class) {
				continue
			}
		}
		out = unsure
	}
	return out
}

// dependsOnValueOnly reports whether the result under one name holds for every
// other: only the value of the property decides it.
func (r *partRules) dependsOnValueOnly(st *state, c *nameClass) bool {
	return len(st.choices) == 0 && len(r.decidingPatterns(c))+len(r.nameDemands(c)) <= maxPatternsCombined && !st.hasAtom(func(a atom) bool { return a.op == opDependentRequired || a.op == opDependentSchemas })
}

// inventName constructs a name that matches as a view demands and that no schema
// mentions.
func (s *solver) inventName(r *partRules, v nameView, c *nameClass, more []literal) result {
	way := conjunction{{op: opNoneOf, values: textValues(r.mentionedNames(c))}, {op: opLiterals, lits: v.passing}}
	for _, p := range v.known {
		if v.patternMatches[p.text] {
			way = append(way, atom{op: opPattern, pattern: p})
		} else {
			way = append(way, atom{op: opNoPattern, pattern: p})
		}
	}
	return s.solveKind(kindString, append(r.propertyNames[:len(r.propertyNames):len(r.propertyNames)], more...), way)
}

// solveObject decides an object by its properties, and constructs one.
func (s *solver) solveObject(st *state, g goal) result {
	r := newPartRules(st)
	low, high := st.sizeBounds(opMinProps, opMaxProps)
	if high != unlimited && (low > high || len(r.presentProps) > high) {
		return proven
	}
	v := make(map[string]any, len(r.presentProps))
	out := result{verdict: possible}
	for _, name := range sortedKeys(r.presentProps) {
		if r.absentProps[name] || !s.allowsName(r, name) {
			return proven
		}
		x := s.solveLiterals(r.literalsForProp(s.viewOf(name)))
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
	if x := s.fillProps(r, v, low); x.verdict != possible {
		return x
	}
	if g.isMetBy(v) {
		return foundValue(v)
	}
	return s.addOptionalProp(r, v, high, g)
}

// fillProps adds properties up to the least number.
func (s *solver) fillProps(r *partRules, v map[string]any, low int) result {
	if len(v) >= low {
		return foundValue(v)
	}
	if low > maxWitnessLength {
		return unsure
	}
	certain := true
	for _, name := range r.mentionedNames(nil) {
		if _, there := v[name]; there || r.absentProps[name] || !s.allowsName(r, name) {
			continue
		}
		x := s.solveLiterals(r.literalsForProp(s.viewOf(name)))
		certain = certain && x.verdict != unknown
		if x.verdict == possible {
			if v[name] = x.value; len(v) >= low {
				return foundValue(v)
			}
		}
	}
	return s.inventProps(r, v, low, certain)
}

// inventProps adds properties under names that no schema mentions.
func (s *solver) inventProps(r *partRules, v map[string]any, low int, certain bool) result {
	var taken []any
	for view := range r.nameCombinations(nil) {
		x := s.solveLiterals(r.literalsForProp(view))
		if x.verdict == impossible {
			continue
		}
		for len(v) < low {
			if s.isOutOfSteps() {
				return unsure
			}
			name := s.inventName(r, view, nil, s.noneOf(taken))
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
		return foundValue(v)
	}
	if certain {
		return proven
	}
	return unsure
}

// addOptionalProp adds one more property, which often satisfies an open choice or
// avoids an excluded value.
func (s *solver) addOptionalProp(r *partRules, v map[string]any, high int, g goal) result {
	if high != unlimited && len(v) >= high {
		return unsure
	}
	names := r.mentionedNames(nil)
	if len(names) > 16 {
		names = names[:16]
	}
	if x := s.inventName(r, nameView{isUnmentioned: true}, nil, nil); x.verdict == possible {
		names = append(slices.Clone(names), x.value.(string))
	}
	for _, name := range names {
		if _, there := v[name]; there || r.absentProps[name] || !s.allowsName(r, name) {
			continue
		}
		x := s.solveLiterals(r.literalsForProp(s.viewOf(name)))
		if x.verdict != possible {
			continue
		}
		v[name] = x.value
		if g.isMetBy(v) {
			return foundValue(v)
		}
		delete(v, name)
	}
	return unsure
}

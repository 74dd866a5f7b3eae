package schema

import "strconv"

// check asks whether a accepts what b refuses in one way.
func (c *comparer) check(s *side, b *node, r refusal) []gap {
	if refuted(s, r) {
		return nil
	}
	switch r.keyword {
	case "$ref", "allOf":
		return c.gaps(s, r.child)
	case "then":
		return c.gaps(s.with(lits(is(b.cond))), r.child)
	case "else":
		return c.gaps(s.with(lits(isNot(b.cond))), r.child)
	case "anyOf", "oneOf":
		if r.child != nil {
			return c.gaps(s, r.child)
		}
		if r.name == "" {
			return c.branches(s, b, r)
		}
	case "dependentSchemas":
		return c.gaps(s.with(alt{{op: opProp, text: r.name}}), r.child)
	case "properties":
		return c.property(s, b, r)
	case "prefixItems":
		return c.item(s, b, r, r.index, strconv.Itoa(r.index))
	case "items":
		return c.items(s, b, r)
	case "additionalProperties":
		return c.extra(s, b, r)
	}
	return c.whole(s, b, r)
}

// maxBranches is how many branches are looked into one by one.
const maxBranches = 16

// branches looks for a branch that accepts all that a does. If only one can accept
// any of it, the gaps are those of that branch.
func (c *comparer) branches(s *side, b *node, r refusal) []gap {
	list := b.anyOf
	if r.keyword == "oneOf" {
		list = b.oneOf
	}
	var near []*node
	for _, n := range list[:min(len(list), maxBranches)] {
		if c.seek(s, lits(is(n))).verdict != impossible {
			near = append(near, n)
		}
	}
	var last []gap
	for _, n := range near {
		if last = c.gaps(s, n); len(last) == 0 {
			return nil
		}
	}
	if len(near) == 1 && len(list) <= maxBranches {
		return last
	}
	return c.whole(s, b, r)
}

// whole asks the solver.
func (c *comparer) whole(s *side, b *node, r refusal) []gap {
	return gapOf(s, b, r, c.seek(s, r.alt, isNot(b)))
}

func gapOf(s *side, b *node, r refusal, x result) []gap {
	if x.verdict == impossible {
		return nil
	}
	return []gap{{
		keyword: r.keyword, name: r.name, at: pointer(b, r), b: b, a: s.st, kinds: 1 << s.st.kind,
		shown: x.verdict == possible, undecided: x.verdict == unknown, witness: x.value,
	}}
}

// pointer is where a keyword stands.
func pointer(b *node, r refusal) string {
	switch r.keyword {
	case "false", exhausted:
		return b.at
	case "enum":
		if b.isConst {
			return below(b.at, "const")
		}
	case "properties", "patternProperties", "prefixItems", "dependentRequired", "dependentSchemas":
		return below(below(b.at, r.keyword), r.name)
	}
	return below(b.at, r.keyword)
}

// refuted tells at a glance that a never goes the way of a refusal. The solver
// would find the same, at a higher price.
func refuted(s *side, r refusal) bool {
	if len(r.alt) != 1 {
		return false
	}
	a := r.alt[0]
	switch a.op {
	case opMaxOpen, opMax, opMin, opMinOpen:
		span := spanOf(s.st)
		span.bound(a)
		return span.empty()
	case opMaxLen, opMinLen:
		return crossed(s.st, a, opMinLen, opMaxLen)
	case opMaxItems, opMinItems:
		return crossed(s.st, a, opMinItems, opMaxItems)
	case opAbsent:
		_, there := s.rules().props[a.text]
		return there
	case opProp:
		return s.rules().absent[a.text]
	}
	return false
}

func crossed(st *state, a atom, least, most op) bool {
	low, high := st.lengths(least, most)
	if a.op == least {
		return high != none && a.n > high
	}
	return a.n < low
}

// property compares the values of one property.
func (c *comparer) property(s *side, b *node, r refusal) []gap {
	of := s.rules().prop(named(r.name))
	return c.part(s, b, r, of, r.child, r.name, func(extra []lit) alt {
		return alt{{op: opProp, text: r.name, lits: extra}}
	})
}

func (c *comparer) item(s *side, b *node, r refusal, i int, token string) []gap {
	return c.part(s, b, r, s.rules().item(c.solver, i), r.child, token, func(extra []lit) alt {
		return alt{{op: opItem, n: i, lits: extra}}
	})
}

// items compares the items behind the prefix: one by one while a tells them
// apart, then one for all.
func (c *comparer) items(s *side, b *node, r refusal) []gap {
	tail := max(s.rules().tail(), r.index)
	_, high := s.st.lengths(opMinItems, opMaxItems)
	var out gaps
	for i := r.index; i <= tail && (high == none || i < high); i++ {
		token := strconv.Itoa(i)
		if i == tail {
			token = "*"
		}
		out.add(c.item(s, b, r, i, token)...)
	}
	return out
}

// extra compares the properties that b does not name: each that a names, then one
// for all that neither names.
func (c *comparer) extra(s *side, b *node, r refusal) []gap {
	rules := s.rules()
	var out gaps
	for _, name := range rules.mentioned(nil) {
		if b.mentions(named(name)) || rules.absent[name] || !c.allowed(rules, name) {
			continue
		}
		mine := r
		mine.name, mine.alt = name, alt{{op: opProp, text: name, lits: []lit{isNot(r.child)}}}
		out.add(c.property(s, b, mine)...)
	}
	others := r
	others.alt = alt{{op: opSomeProp, class: &nameClass{outside: b, names: c.other(values(rules.mentioned(nil)))}, lits: []lit{isNot(r.child)}}}
	if len(rules.patterns(others.alt[0].class)) > 0 {
		out.add(c.starred(c.whole(s, b, others))...)
		return out
	}
	name := c.name(rules, view{any: true}, others.alt[0].class.names)
	if name.verdict != possible {
		out.add(c.starred(c.whole(s, b, others))...)
		return out
	}
	out.add(c.part(s, b, others, rules.prop(view{any: true}), r.child, "*", func(extra []lit) alt {
		return alt{{op: opProp, text: name.value.(string), lits: extra}}
	})...)
	return out
}

func (c *comparer) starred(list []gap) []gap {
	for i := range list {
		list[i].path = "/*" + list[i].path
	}
	return list
}

// maxLifted is how many gaps of one part get a document of their own.
const maxLifted = 3

// part compares a part of the value by itself. The values that make a gap there
// are then put into a whole one: if none can be, the solver decides.
func (c *comparer) part(s *side, b *node, r refusal, of []lit, child *node, token string, place func([]lit) alt) []gap {
	brief := c.brief
	c.brief = false
	inner := c.compare(of, child)
	if len(inner) == 0 {
		return nil
	}
	out := make([]gap, 0, len(inner))
	tried, lifted := 0, 0
	for _, g := range inner {
		g.path = below("", token) + g.path
		if g.shown && tried < maxLifted && !brief {
			tried++
			x := c.seek(s, place([]lit{is(c.constant(g.witness))}), isNot(b))
			if x.verdict != possible {
				continue
			}
			lifted++
			g.witness = x.value
		} else {
			g.shown, g.witness = false, nil
		}
		out = append(out, g)
	}
	if lifted > 0 || brief {
		return closed(out, r, b, child)
	}
	x := c.seek(s, r.alt, isNot(b))
	switch x.verdict {
	case impossible:
		return nil
	case possible:
		g := inner[0]
		g.path = below("", token) + g.path
		g.shown, g.undecided, g.witness = true, false, x.value
		return closed([]gap{g}, r, b, child)
	}
	for i := range inner {
		g := inner[i]
		g.path = below("", token) + g.path
		g.shown, g.undecided, g.witness = false, true, nil
		inner[i] = g
	}
	return closed(inner, r, b, child)
}

// closed says of a property that b does not let be that it is that keyword of b
// that refuses it.
func closed(list []gap, r refusal, b, child *node) []gap {
	if !child.never {
		return list
	}
	for i := range list {
		if list[i].b == child {
			list[i].keyword, list[i].name, list[i].at, list[i].b = r.keyword, r.name, pointer(b, r), b
		}
	}
	return list
}

package schema

import "strconv"

// compareKeyword finds the gaps of one way in which b refuses values.
func (c *comparer) compareKeyword(s *premise, b *node, r refusal) []gap {
	if isRefuted(s, r) {
		return nil
	}
	switch r.keyword {
	case "$ref", "allOf":
		return c.compareKind(s, r.child)
	case "then":
		return c.compareKind(s.with(inPlace(accepts(b.ifNode))), r.child)
	case "else":
		return c.compareKind(s.with(inPlace(refuses(b.ifNode))), r.child)
	case "anyOf", "oneOf":
		if r.child != nil {
			return c.compareKind(s, r.child)
		}
		if r.name == "" {
			return c.compareBranches(s, b, r)
		}
	case "dependentSchemas":
		return c.compareKind(s.with(conjunction{{op: opProp, text: r.name}}), r.child)
	case "properties":
		return c.compareProperty(s, b, r)
	case "prefixItems":
		return c.compareItem(s, b, r, r.index, strconv.Itoa(r.index))
	case "items":
		return c.compareItems(s, b, r)
	case "additionalProperties":
		return c.compareAdditional(s, b, r)
	}
	return c.compareWhole(s, b, r)
}

// maxBranchesCompared is the most branches that are compared one by one.
const maxBranchesCompared = 16

// compareBranches looks for a branch that accepts all that a does. If only one can accept
// any of it, or only one has a's discriminator, the gaps are those of that branch.
func (c *comparer) compareBranches(s *premise, b *node, r refusal) []gap {
	list := b.anyOf
	if r.keyword == "oneOf" {
		list = b.oneOf
	}
	if len(s.st.choices) > 0 {
		return c.compareWhole(s, b, r) // each way of a's choices is compared by itself if need be
	}
	whole := len(list) <= maxBranchesCompared
	list = list[:min(len(list), maxBranchesCompared)]
	near := c.acceptingBranches(s, list)
	if len(near) == 0 {
		near = c.taggedBranches(s, list)
	}
	var last []gap
	for _, n := range near {
		if last = c.compareKind(s, n); len(last) == 0 {
			return nil
		}
	}
	if len(near) == 1 && whole {
		return c.nameVariant(s, near[0], last)
	}
	gaps := c.compareWhole(s, b, r)
	if len(near) == 0 {
		gaps = c.nameRemoved(s, list, gaps)
	}
	return gaps
}

// compareWhole leaves the question to the solver.
func (c *comparer) compareWhole(s *premise, b *node, r refusal) []gap {
	return gapsFrom(s, b, r, c.findWitness(s, r.alt, refuses(b)))
}

func gapsFrom(s *premise, b *node, r refusal, x result) []gap {
	if x.verdict == impossible {
		return nil
	}
	return []gap{{
		keyword: r.keyword, name: r.name, pointer: pointerOf(b, r), b: b, a: s.st, refusedKinds: 1 << s.st.kind,
		hasWitness: x.verdict == possible, undecided: x.verdict == unknown, witness: x.value,
	}}
}

// pointerOf returns the JSON pointer of a refusal's keyword.
func pointerOf(b *node, r refusal) string {
	switch r.keyword {
	case "false", keywordLimit:
		return b.pointer
	case "enum":
		if b.isConst {
			return appendPointer(b.pointer, "const")
		}
	case "properties", "patternProperties", "prefixItems", "dependentRequired", "dependentSchemas":
		return appendPointer(appendPointer(b.pointer, r.keyword), r.name)
	}
	return appendPointer(b.pointer, r.keyword)
}

// isRefuted reports whether a obviously excludes a refusal. The solver would find
// the same at a higher price.
func isRefuted(s *premise, r refusal) bool {
	if len(r.alt) != 1 {
		return false
	}
	a := r.alt[0]
	switch a.op {
	case opMaxOpen, opMax, opMin, opMinOpen:
		span := rangeOf(s.st)
		span.narrowBy(a)
		return span.isEmpty()
	case opMaxLen, opMinLen:
		return boundsCross(s.st, a, opMinLen, opMaxLen)
	case opMaxItems, opMinItems:
		return boundsCross(s.st, a, opMinItems, opMaxItems)
	case opAbsent:
		_, there := s.partRules().presentProps[a.text]
		return there
	case opProp:
		return s.partRules().absentProps[a.text]
	}
	return false
}

func boundsCross(st *state, a atom, least, most operator) bool {
	low, high := st.sizeBounds(least, most)
	if a.op == least {
		return high != unlimited && a.n > high
	}
	return a.n < low
}

func (c *comparer) compareProperty(s *premise, b *node, r refusal) []gap {
	of := s.partRules().literalsForProp(c.viewOf(r.name))
	return c.comparePart(s, b, r, of, r.child, r.name, func(extra []literal) conjunction {
		return conjunction{{op: opProp, text: r.name, lits: extra}}
	})
}

func (c *comparer) compareItem(s *premise, b *node, r refusal, i int, token string) []gap {
	return c.comparePart(s, b, r, s.partRules().literalsForItem(c.solver, i), r.child, token, func(extra []literal) conjunction {
		return conjunction{{op: opItem, n: i, lits: extra}}
	})
}

// compareItems compares the items after the prefix: one by one while a distinguishes
// them, then one for all others.
func (c *comparer) compareItems(s *premise, b *node, r refusal) []gap {
	tail := max(s.partRules().firstUniformItem(), r.index)
	_, high := s.st.sizeBounds(opMinItems, opMaxItems)
	var out gapList
	for i := r.index; i <= tail && (high == unlimited || i < high); i++ {
		token := strconv.Itoa(i)
		if i == tail {
			token = "*"
		}
		out.add(c.compareItem(s, b, r, i, token)...)
	}
	return out
}

// compareAdditional compares the properties that b does not name: each one that a
// names, then one for all others.
func (c *comparer) compareAdditional(s *premise, b *node, r refusal) []gap {
	rules := s.partRules()
	var out gapList
	for _, name := range rules.mentionedNames(nil) {
		if b.namesProp(c.viewOf(name)) || rules.absentProps[name] || !c.allowsName(rules, name) {
			continue
		}
		mine := r
		mine.name, mine.alt = name, conjunction{{op: opProp, text: name, lits: []literal{refuses(r.child)}}}
		out.add(c.compareProperty(s, b, mine)...)
	}
	others := r
	others.alt = conjunction{{op: opSomeProp, class: &nameClass{outside: b, passing: c.noneOf(textValues(rules.mentionedNames(nil)))}, lits: []literal{refuses(r.child)}}}
	if len(rules.decidingPatterns(others.alt[0].class)) > 0 {
		out.add(c.underAnyProperty(c.compareWhole(s, b, others))...)
		return out
	}
	name := c.inventName(rules, nameView{isUnmentioned: true}, nil, others.alt[0].class.passing)
	if name.verdict != possible {
		out.add(c.underAnyProperty(c.compareWhole(s, b, others))...)
		return out
	}
	out.add(c.comparePart(s, b, others, rules.literalsForProp(nameView{isUnmentioned: true}), r.child, "*", func(extra []literal) conjunction {
		return conjunction{{op: opProp, text: name.value.(string), lits: extra}}
	})...)
	return out
}

func (c *comparer) underAnyProperty(list []gap) []gap {
	for i := range list {
		list[i].path = "/*" + list[i].path
	}
	return list
}

// maxPartWitnesses is the most gaps of one part that get a document each.
const maxPartWitnesses = 3

// comparePart compares a part of the value alone, and embeds the witnesses in whole
// values. If none can be embedded, the solver decides.
func (c *comparer) comparePart(s *premise, b *node, r refusal, of []literal, child *node, token string, place func([]literal) conjunction) []gap {
	brief := c.skipWitnesses
	c.skipWitnesses = false
	inner := c.compareNode(of, child)
	if len(inner) == 0 {
		return nil
	}
	out := make([]gap, 0, len(inner))
	tried, lifted := 0, 0
	for _, g := range inner {
		g.path = appendPointer("", token) + g.path
		if g.hasWitness && tried < maxPartWitnesses && !brief {
			tried++
			x := c.findWitness(s, place([]literal{accepts(c.enumNode([]any{g.witness}))}), refuses(b))
			if x.verdict != possible {
				continue
			}
			lifted++
			g.witness = x.value
		} else {
			g.hasWitness, g.witness = false, nil
		}
		out = append(out, g)
	}
	if lifted > 0 || brief {
		return attributeToParent(out, r, s, b, child)
	}
	x := c.findWitness(s, r.alt, refuses(b))
	switch x.verdict {
	case impossible:
		return nil
	case possible:
		g := inner[0]
		g.path = appendPointer("", token) + g.path
		g.hasWitness, g.undecided, g.witness = true, false, x.value
		return attributeToParent([]gap{g}, r, s, b, child)
	}
	for i := range inner {
		g := inner[i]
		g.path = appendPointer("", token) + g.path
		g.hasWitness, g.undecided, g.witness = false, true, nil
		inner[i] = g
	}
	return attributeToParent(inner, r, s, b, child)
}

// attributeToParent attributes the gaps of a part that b forbids to the keyword of b
// that forbids it.
func attributeToParent(list []gap, r refusal, s *premise, b, child *node) []gap {
	if !child.acceptsNone {
		return list
	}
	for i := range list {
		if list[i].b == child {
			list[i].keyword, list[i].name, list[i].pointer, list[i].b = r.keyword, r.name, pointerOf(b, r), b
			list[i].a = s.st
		}
	}
	return list
}

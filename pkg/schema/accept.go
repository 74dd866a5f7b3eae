package schema

// appendAtoms adds what a node's own keywords say of a value of a kind.
func appendAtoms(to []atom, n *node, k kind) []atom {
	switch k {
	case kindInteger, kindFraction:
		to = numberAtoms(to, n)
	case kindString:
		to = textAtoms(to, n)
	case kindArray:
		to = arrayAtoms(to, n)
	case kindObject:
		to = objectAtoms(to, n)
	}
	if n.format != "" && speaksOf(n.format, k) {
		to = append(to, atom{op: opFormat, text: n.format})
	}
	return to
}

// speaksOf tells whether a format may judge values of a kind. The formats of the
// draft judge texts; one that is not known may be of numbers, as int32 is.
func speaksOf(name string, k kind) bool {
	_, known := formats[name]
	return k == kindString || !known && numberKinds.has(k)
}

func numberAtoms(to []atom, n *node) []atom {
	if n.min != nil {
		to = append(to, atom{op: opMin, rat: n.min})
	}
	if n.minOpen != nil {
		to = append(to, atom{op: opMinOpen, rat: n.minOpen})
	}
	if n.max != nil {
		to = append(to, atom{op: opMax, rat: n.max})
	}
	if n.maxOpen != nil {
		to = append(to, atom{op: opMaxOpen, rat: n.maxOpen})
	}
	if n.multipleOf != nil {
		to = append(to, atom{op: opMultiple, rat: n.multipleOf})
	}
	return to
}

func bounds(to []atom, least, most op, low, high int) []atom {
	if low > 0 {
		to = append(to, atom{op: least, n: low})
	}
	if high != none {
		to = append(to, atom{op: most, n: high})
	}
	return to
}

func textAtoms(to []atom, n *node) []atom {
	to = bounds(to, opMinLen, opMaxLen, n.minLen, n.maxLen)
	if n.pattern != nil {
		to = append(to, atom{op: opPattern, pattern: n.pattern})
	}
	return to
}

func arrayAtoms(to []atom, n *node) []atom {
	to = bounds(to, opMinItems, opMaxItems, n.minItems, n.maxItems)
	if n.unique {
		to = append(to, atom{op: opUnique})
	}
	if n.lists() {
		to = append(to, atom{op: opList, node: n})
	}
	if n.contains != nil {
		to = append(to, contained(n)...)
	}
	if n.restItems != nil {
		to = append(to, atom{op: opRestItems, node: n})
	}
	return to
}

func contained(n *node) []atom {
	var out []atom
	switch {
	case n.minContains == 1:
		out = append(out, atom{op: opSomeItem, lits: []lit{is(n.contains)}})
	case n.minContains > 1:
		out = append(out, atom{op: opContains, n: n.minContains, lits: []lit{is(n.contains)}})
	}
	switch {
	case n.maxContains == 0:
		out = append(out, atom{op: opRest, lits: []lit{isNot(n.contains)}})
	case n.maxContains != none:
		out = append(out, atom{op: opFew, n: n.maxContains, lits: []lit{is(n.contains)}})
	}
	return out
}

func objectAtoms(to []atom, n *node) []atom {
	to = bounds(to, opMinProps, opMaxProps, n.minProps, n.maxProps)
	for _, name := range n.required {
		to = append(to, atom{op: opProp, text: name})
	}
	if n.groups() {
		to = append(to, atom{op: opGroup, node: n})
	}
	if n.names != nil {
		to = append(to, atom{op: opNames, lits: []lit{is(n.names)}})
	}
	if len(n.needs) > 0 {
		to = append(to, atom{op: opNeed, node: n})
	}
	if len(n.implies) > 0 {
		to = append(to, atom{op: opImplies, node: n})
	}
	if n.restProps != nil {
		to = append(to, atom{op: opRestProps, node: n})
	}
	return to
}

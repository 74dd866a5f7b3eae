package schema

import "gati.dev/gati/pkg/schema/formats"

// appendAtoms appends the constraints of a node's own keywords on values of a kind.
func appendAtoms(to []atom, n *node, k kind) []atom {
	switch k {
	case kindInteger, kindFraction:
		to = appendNumberAtoms(to, n)
	case kindString:
		to = appendTextAtoms(to, n)
	case kindArray:
		to = appendArrayAtoms(to, n)
	case kindObject:
		to = appendObjectAtoms(to, n)
	}
	if n.format != "" && formatAppliesTo(n.format, k) {
		to = append(to, atom{op: opFormat, text: n.format})
	}
	return to
}

// formatAppliesTo reports whether a format constrains values of a kind. The draft's
// formats constrain strings; an unknown one may constrain numbers, as int32 does.
func formatAppliesTo(name string, k kind) bool {
	return k == kindString || !formats.IsKnown(name) && numberKinds.has(k)
}

func appendNumberAtoms(to []atom, n *node) []atom {
	if n.min != nil {
		to = append(to, atom{op: opMin, rat: n.min})
	}
	if n.exclusiveMin != nil {
		to = append(to, atom{op: opMinOpen, rat: n.exclusiveMin})
	}
	if n.max != nil {
		to = append(to, atom{op: opMax, rat: n.max})
	}
	if n.exclusiveMax != nil {
		to = append(to, atom{op: opMaxOpen, rat: n.exclusiveMax})
	}
	if n.multipleOf != nil {
		to = append(to, atom{op: opMultiple, rat: n.multipleOf})
	}
	return to
}

func appendBounds(to []atom, least, most operator, low, high int) []atom {
	if low > 0 {
		to = append(to, atom{op: least, n: low})
	}
	if high != unlimited {
		to = append(to, atom{op: most, n: high})
	}
	return to
}

func appendTextAtoms(to []atom, n *node) []atom {
	to = appendBounds(to, opMinLen, opMaxLen, n.minLen, n.maxLen)
	if n.pattern != nil {
		to = append(to, atom{op: opPattern, pattern: n.pattern})
	}
	return to
}

func appendArrayAtoms(to []atom, n *node) []atom {
	to = appendBounds(to, opMinItems, opMaxItems, n.minItems, n.maxItems)
	if n.uniqueItems {
		to = append(to, atom{op: opUnique})
	}
	if n.constrainsItems() {
		to = append(to, atom{op: opItems, node: n})
	}
	if n.contains != nil {
		to = append(to, containsAtoms(n)...)
	}
	if n.unevaluatedItems != nil {
		to = append(to, atom{op: opUnevaluatedItems, node: n})
	}
	return to
}

func containsAtoms(n *node) []atom {
	var out []atom
	switch {
	case n.minContains == 1:
		out = append(out, atom{op: opSomeItem, lits: []literal{accepts(n.contains)}})
	case n.minContains > 1:
		out = append(out, atom{op: opMinContained, n: n.minContains, lits: []literal{accepts(n.contains)}})
	}
	switch {
	case n.maxContains == 0:
		out = append(out, atom{op: opEveryItem, lits: []literal{refuses(n.contains)}})
	case n.maxContains != unlimited:
		out = append(out, atom{op: opMaxContained, n: n.maxContains, lits: []literal{accepts(n.contains)}})
	}
	return out
}

func appendObjectAtoms(to []atom, n *node) []atom {
	to = appendBounds(to, opMinProps, opMaxProps, n.minProps, n.maxProps)
	for _, name := range n.required {
		to = append(to, atom{op: opProp, text: name})
	}
	if n.constrainsProps() {
		to = append(to, atom{op: opProps, node: n})
	}
	if n.propertyNames != nil {
		to = append(to, atom{op: opPropertyNames, lits: []literal{accepts(n.propertyNames)}})
	}
	if len(n.dependentRequired) > 0 {
		to = append(to, atom{op: opDependentRequired, node: n})
	}
	if len(n.dependentSchemas) > 0 {
		to = append(to, atom{op: opDependentSchemas, node: n})
	}
	if n.unevaluatedProps != nil {
		to = append(to, atom{op: opUnevaluatedProps, node: n})
	}
	return to
}

package schema

import "strconv"

// refusal is one way in which a node refuses a value. Its alt is empty when it
// refuses whatever the value is.
type refusal struct {
	keyword string
	name    string // of a property, for the keywords that have several
	index   int    // of a branch or an item
	alt     alt
	child   *node // refuses a part of the value, or the value itself
}

// refusals are all ways in which a node refuses values of a kind: none when it
// accepts them all.
func refusals(n *node, k kind) []refusal {
	if n.never {
		return []refusal{{keyword: "false"}}
	}
	if !n.types.has(k) {
		return []refusal{{keyword: "type"}}
	}
	var out []refusal
	if n.values != nil {
		out = append(out, refusal{keyword: "enum", alt: alt{{op: opNoneOf, node: n, values: n.values}}})
	}
	switch k {
	case kindInteger, kindFraction:
		out = numberRefusals(out, n)
	case kindString:
		out = textRefusals(out, n)
	case kindArray:
		out = arrayRefusals(out, n)
	case kindObject:
		out = objectRefusals(out, n)
	}
	if n.format != "" && speaksOf(n.format, k) {
		out = append(out, refusal{keyword: "format", alt: alt{{op: opNoFormat, text: n.format}}})
	}
	return combinedRefusals(out, n, k)
}

// combinedRefusals are those of the schemas that judge the same value.
func combinedRefusals(out []refusal, n *node, k kind) []refusal {
	if n.ref != nil {
		out = append(out, refusal{keyword: "$ref", alt: lits(isNot(n.ref)), child: n.ref})
	}
	for i, c := range n.allOf {
		out = append(out, refusal{keyword: "allOf", index: i, alt: lits(isNot(c)), child: c})
	}
	if len(n.anyOf) > 0 {
		out = append(out, noneOf("anyOf", n.anyOf, k))
	}
	if len(n.oneOf) > 0 {
		out = append(out, noneOf("oneOf", n.oneOf, k))
		out = append(out, twoOf(n.oneOf, k)...)
	}
	if n.not != nil {
		out = append(out, refusal{keyword: "not", alt: lits(is(n.not))})
	}
	if n.cond != nil && n.then != nil {
		out = append(out, refusal{keyword: "then", alt: lits(is(n.cond), isNot(n.then)), child: n.then})
	}
	if n.cond != nil && n.other != nil {
		out = append(out, refusal{keyword: "else", alt: lits(isNot(n.cond), isNot(n.other)), child: n.other})
	}
	return out
}

// noneOf refuses what no branch accepts. A single branch of the kind is looked
// into as if it stood alone.
func noneOf(keyword string, list []*node, k kind) refusal {
	var way []lit
	r := refusal{keyword: keyword}
	for i, c := range list {
		if !c.never && c.types.has(k) {
			way = append(way, isNot(c))
			r.child, r.index = c, i
		}
	}
	if len(way) == 0 {
		return r
	}
	if len(way) > 1 {
		r.child = nil
	}
	r.alt = lits(way...)
	return r
}

// twoOf refuses what two branches accept.
func twoOf(list []*node, k kind) []refusal {
	var out []refusal
	if len(list) > maxPaired {
		return []refusal{{keyword: "oneOf", name: "overlap", alt: alt{{op: opOpen}}}}
	}
	for i, c := range list {
		for _, other := range list[i+1:] {
			if c.never || other.never || !c.types.has(k) || !other.types.has(k) || apart(c, other) {
				continue
			}
			out = append(out, refusal{keyword: "oneOf", name: "overlap", index: i, alt: lits(is(c), is(other))})
		}
	}
	return out
}

// apart tells at a glance that two branches share no value: their values are
// listed and differ, or a property that both require tells them apart.
func apart(a, b *node) bool {
	if a.values != nil && b.values != nil {
		return len(common(a.values, b.values)) == 0
	}
	if a.types != 1<<kindObject || b.types != 1<<kindObject {
		return false
	}
	for _, name := range a.required {
		x, y := find(a.props, name), find(b.props, name)
		if x != nil && y != nil && x.values != nil && y.values != nil && len(common(x.values, y.values)) == 0 {
			return true
		}
	}
	return false
}

func numberRefusals(out []refusal, n *node) []refusal {
	if n.min != nil {
		out = append(out, refusal{keyword: "minimum", alt: alt{{op: opMaxOpen, rat: n.min}}})
	}
	if n.minOpen != nil {
		out = append(out, refusal{keyword: "exclusiveMinimum", alt: alt{{op: opMax, rat: n.minOpen}}})
	}
	if n.max != nil {
		out = append(out, refusal{keyword: "maximum", alt: alt{{op: opMinOpen, rat: n.max}}})
	}
	if n.maxOpen != nil {
		out = append(out, refusal{keyword: "exclusiveMaximum", alt: alt{{op: opMin, rat: n.maxOpen}}})
	}
	if n.multipleOf != nil {
		out = append(out, refusal{keyword: "multipleOf", alt: alt{{op: opNoMultiple, rat: n.multipleOf}}})
	}
	return out
}

// counted refuses what is too few or too many.
func counted(out []refusal, least, most string, low, high int, below, above op) []refusal {
	if low > 0 {
		out = append(out, refusal{keyword: least, alt: alt{{op: below, n: low - 1}}})
	}
	if high != none {
		out = append(out, refusal{keyword: most, alt: alt{{op: above, n: high + 1}}})
	}
	return out
}

func textRefusals(out []refusal, n *node) []refusal {
	out = counted(out, "minLength", "maxLength", n.minLen, n.maxLen, opMaxLen, opMinLen)
	if n.pattern != nil {
		out = append(out, refusal{keyword: "pattern", alt: alt{{op: opNoPattern, pattern: n.pattern}}})
	}
	return out
}

func arrayRefusals(out []refusal, n *node) []refusal {
	out = counted(out, "minItems", "maxItems", n.minItems, n.maxItems, opMaxItems, opMinItems)
	for i, c := range n.prefix {
		if !c.always() {
			out = append(out, refusal{keyword: "prefixItems", name: strconv.Itoa(i), index: i, child: c, alt: alt{{op: opItem, n: i, lits: []lit{isNot(c)}}}})
		}
	}
	if n.items != nil && !n.items.always() {
		out = append(out, refusal{keyword: "items", index: len(n.prefix), child: n.items, alt: alt{{op: opSomeItem, n: len(n.prefix), lits: []lit{isNot(n.items)}}}})
	}
	if n.unique {
		out = append(out, refusal{keyword: "uniqueItems", alt: alt{{op: opNotUnique}}})
	}
	if n.contains != nil {
		out = append(out, containsRefusals(n)...)
	}
	if n.restItems != nil && !n.restItems.always() {
		out = append(out, refusal{keyword: "unevaluatedItems", alt: alt{{op: opSomeItem, node: n, lits: []lit{isNot(n.restItems)}}}})
	}
	return out
}

func containsRefusals(n *node) []refusal {
	var out []refusal
	passes := []lit{is(n.contains)}
	keyword := "contains"
	switch {
	case n.minContains == 1:
		out = append(out, refusal{keyword: keyword, alt: alt{{op: opRest, lits: []lit{isNot(n.contains)}}}})
	case n.minContains > 1:
		out = append(out, refusal{keyword: "minContains", alt: alt{{op: opFew, n: n.minContains - 1, lits: passes}}})
	}
	switch {
	case n.maxContains == 0:
		out = append(out, refusal{keyword: "maxContains", alt: alt{{op: opSomeItem, lits: passes}}})
	case n.maxContains != none:
		out = append(out, refusal{keyword: "maxContains", alt: alt{{op: opContains, n: n.maxContains + 1, lits: passes}}})
	}
	return out
}

func objectRefusals(out []refusal, n *node) []refusal {
	for _, name := range n.required {
		out = append(out, refusal{keyword: "required", name: name, alt: alt{{op: opAbsent, text: name}}})
	}
	for _, p := range n.props {
		if !p.node.always() {
			out = append(out, refusal{keyword: "properties", name: p.name, child: p.node, alt: alt{{op: opProp, text: p.name, lits: []lit{isNot(p.node)}}}})
		}
	}
	for _, p := range n.patterns {
		out = append(out, refusal{keyword: "patternProperties", name: p.pattern.text, child: p.node,
			alt: alt{{op: opSomeProp, class: &nameClass{pattern: p.pattern}, lits: []lit{isNot(p.node)}}}})
	}
	if n.extra != nil && !n.extra.always() {
		out = append(out, refusal{keyword: "additionalProperties", child: n.extra, alt: alt{{op: opSomeProp, class: &nameClass{outside: n}, lits: []lit{isNot(n.extra)}}}})
	}
	if n.names != nil {
		out = append(out, refusal{keyword: "propertyNames", alt: alt{{op: opSomeProp, class: &nameClass{names: []lit{isNot(n.names)}}}}})
	}
	out = counted(out, "minProperties", "maxProperties", n.minProps, n.maxProps, opMaxProps, opMinProps)
	for _, d := range n.needs {
		for _, name := range d.names {
			out = append(out, refusal{keyword: "dependentRequired", name: d.name, alt: alt{{op: opProp, text: d.name}, {op: opAbsent, text: name}}})
		}
	}
	for _, p := range n.implies {
		out = append(out, refusal{keyword: "dependentSchemas", name: p.name, child: p.node, alt: alt{{op: opProp, text: p.name}, {op: opLit, lits: []lit{isNot(p.node)}}}})
	}
	if n.restProps != nil && !n.restProps.always() {
		out = append(out, refusal{keyword: "unevaluatedProperties", alt: alt{{op: opSomeProp, class: &nameClass{unseen: n}, lits: []lit{isNot(n.restProps)}}}})
	}
	return out
}

package schema

import (
	"slices"
	"strconv"
)

// refusal is one way in which a node refuses a value. Without atoms it refuses every
// value.
type refusal struct {
	keyword string
	name    string // of a property, for the keywords that have several
	index   int    // of a branch or an item
	alt     conjunction
	child   *node // refuses a part of the value, or the value itself
}

// listRefusals returns all ways in which a node refuses values of a kind: none when it
// accepts them all.
func listRefusals(n *node, k kind) []refusal {
	if n.acceptsNone {
		return []refusal{{keyword: "false"}}
	}
	if !n.types.has(k) {
		return []refusal{{keyword: "type"}}
	}
	var out []refusal
	if n.enum != nil {
		out = append(out, refusal{keyword: "enum", alt: conjunction{{op: opNoneOf, node: n, values: n.enum}}})
	}
	switch k {
	case kindInteger, kindFraction:
		out = appendNumberRefusals(out, n)
	case kindString:
		out = appendTextRefusals(out, n)
	case kindArray:
		out = appendArrayRefusals(out, n)
	case kindObject:
		out = appendObjectRefusals(out, n)
	}
	if n.format != "" && formatAppliesTo(n.format, k) {
		out = append(out, refusal{keyword: "format", alt: conjunction{{op: opNoFormat, text: n.format}}})
	}
	return inPlaceRefusals(out, n, k)
}

// inPlaceRefusals adds those of the subschemas that apply to the same value.
func inPlaceRefusals(out []refusal, n *node, k kind) []refusal {
	if n.ref != nil {
		out = append(out, refusal{keyword: "$ref", alt: inPlace(refuses(n.ref)), child: n.ref})
	}
	for i, c := range n.allOf {
		out = append(out, refusal{keyword: "allOf", index: i, alt: inPlace(refuses(c)), child: c})
	}
	if len(n.anyOf) > 0 {
		out = append(out, noneOfRefusal("anyOf", n.anyOf, k))
	}
	if len(n.oneOf) > 0 {
		out = append(out, noneOfRefusal("oneOf", n.oneOf, k))
		out = append(out, overlapRefusals(n.oneOf, k)...)
	}
	if n.not != nil {
		out = append(out, refusal{keyword: "not", alt: inPlace(accepts(n.not))})
	}
	if n.ifNode != nil && n.thenNode != nil {
		out = append(out, refusal{keyword: "then", alt: inPlace(accepts(n.ifNode), refuses(n.thenNode)), child: n.thenNode})
	}
	if n.ifNode != nil && n.elseNode != nil {
		out = append(out, refusal{keyword: "else", alt: inPlace(refuses(n.ifNode), refuses(n.elseNode)), child: n.elseNode})
	}
	return out
}

// noneOfRefusal refuses what no branch accepts. A single branch of the kind is
// compared as if it stood alone.
func noneOfRefusal(keyword string, list []*node, k kind) refusal {
	var way []literal
	r := refusal{keyword: keyword}
	for i, c := range list {
		if !c.acceptsNone && c.types.has(k) {
			way = append(way, refuses(c))
			r.child, r.index = c, i
		}
	}
	if len(way) == 0 {
		return r
	}
	if len(way) > 1 {
		r.child = nil
	}
	r.alt = inPlace(way...)
	return r
}

// overlapRefusals refuses what two branches accept.
func overlapRefusals(list []*node, k kind) []refusal {
	var out []refusal
	if len(list) > maxBranchPairs {
		return []refusal{{keyword: "oneOf", name: "overlap", alt: conjunction{{op: opUndecidable}}}}
	}
	var open []*node
	var tags [][]tag
	for _, c := range list {
		if !c.acceptsNone && c.types.has(k) {
			open, tags = append(open, c), append(tags, tagsOf(c, k))
		}
	}
	for i, c := range open {
		for j, other := range open[:i] {
			if !areDisjoint(c, other) && !areTagged(tags[i], tags[j]) && !areTagged(tags[j], tags[i]) {
				out = append(out, refusal{keyword: "oneOf", name: "overlap", index: j, alt: inPlace(accepts(other), accepts(c))})
			}
		}
	}
	return out
}

// areDisjoint reports whether two nodes list values and share none.
func areDisjoint(a, b *node) bool {
	return a.enum != nil && b.enum != nil && !slices.ContainsFunc(a.enum, func(v any) bool { return b.hasValue(nil, v) })
}

// tag is a property with few values, such as the one that tells a union's members
// apart.
type tag struct {
	name     string
	values   *node
	required bool
}

// tagsOf returns the tags of objects that pass a node.
func tagsOf(n *node, k kind) []tag {
	var out []tag
	if k != kindObject {
		return out
	}
	var required []string
	walkNodes(n, (*node).visitConjuncts, func(c *node) {
		required = append(required, c.required...)
		for _, p := range c.props {
			if p.node.enum != nil {
				out = append(out, tag{name: p.name, values: p.node})
			}
		}
	})
	for i := range out {
		out[i].required = slices.Contains(required, out[i].name)
	}
	return out
}

// areTagged reports whether a tag that a requires tells all of its objects from b's.
func areTagged(a, b []tag) bool {
	return slices.ContainsFunc(a, func(x tag) bool {
		return x.required && slices.ContainsFunc(b, func(y tag) bool { return x.name == y.name && areDisjoint(x.values, y.values) })
	})
}

func appendNumberRefusals(out []refusal, n *node) []refusal {
	if n.min != nil {
		out = append(out, refusal{keyword: "minimum", alt: conjunction{{op: opMaxOpen, rat: n.min}}})
	}
	if n.exclusiveMin != nil {
		out = append(out, refusal{keyword: "exclusiveMinimum", alt: conjunction{{op: opMax, rat: n.exclusiveMin}}})
	}
	if n.max != nil {
		out = append(out, refusal{keyword: "maximum", alt: conjunction{{op: opMinOpen, rat: n.max}}})
	}
	if n.exclusiveMax != nil {
		out = append(out, refusal{keyword: "exclusiveMaximum", alt: conjunction{{op: opMin, rat: n.exclusiveMax}}})
	}
	if n.multipleOf != nil {
		out = append(out, refusal{keyword: "multipleOf", alt: conjunction{{op: opNoMultiple, rat: n.multipleOf}}})
	}
	return out
}

// appendCountRefusals refuses sizes outside the bounds.
func appendCountRefusals(out []refusal, least, most string, low, high int, below, above operator) []refusal {
	if low > 0 {
		out = append(out, refusal{keyword: least, alt: conjunction{{op: below, n: low - 1}}})
	}
	if high != unlimited {
		out = append(out, refusal{keyword: most, alt: conjunction{{op: above, n: high + 1}}})
	}
	return out
}

func appendTextRefusals(out []refusal, n *node) []refusal {
	out = appendCountRefusals(out, "minLength", "maxLength", n.minLen, n.maxLen, opMaxLen, opMinLen)
	if n.pattern != nil {
		out = append(out, refusal{keyword: "pattern", alt: conjunction{{op: opNoPattern, pattern: n.pattern}}})
	}
	return out
}

func appendArrayRefusals(out []refusal, n *node) []refusal {
	out = appendCountRefusals(out, "minItems", "maxItems", n.minItems, n.maxItems, opMaxItems, opMinItems)
	for i, c := range n.prefixItems {
		if !c.acceptsAll() {
			out = append(out, refusal{keyword: "prefixItems", name: strconv.Itoa(i), index: i, child: c, alt: conjunction{{op: opItem, n: i, lits: []literal{refuses(c)}}}})
		}
	}
	if n.items != nil && !n.items.acceptsAll() {
		out = append(out, refusal{keyword: "items", index: len(n.prefixItems), child: n.items, alt: conjunction{{op: opSomeItem, n: len(n.prefixItems), lits: []literal{refuses(n.items)}}}})
	}
	if n.uniqueItems {
		out = append(out, refusal{keyword: "uniqueItems", alt: conjunction{{op: opNotUnique}}})
	}
	if n.contains != nil {
		out = append(out, containsRefusals(n)...)
	}
	if n.unevaluatedItems != nil && !n.unevaluatedItems.acceptsAll() {
		out = append(out, refusal{keyword: "unevaluatedItems", alt: conjunction{{op: opSomeItem, node: n, lits: []literal{refuses(n.unevaluatedItems)}}}})
	}
	return out
}

func containsRefusals(n *node) []refusal {
	var out []refusal
	passes := []literal{accepts(n.contains)}
	keyword := "contains"
	switch {
	case n.minContains == 1:
		out = append(out, refusal{keyword: keyword, alt: conjunction{{op: opEveryItem, lits: []literal{refuses(n.contains)}}}})
	case n.minContains > 1:
		out = append(out, refusal{keyword: "minContains", alt: conjunction{{op: opMaxContained, n: n.minContains - 1, lits: passes}}})
	}
	switch {
	case n.maxContains == 0:
		out = append(out, refusal{keyword: "maxContains", alt: conjunction{{op: opSomeItem, lits: passes}}})
	case n.maxContains != unlimited:
		out = append(out, refusal{keyword: "maxContains", alt: conjunction{{op: opMinContained, n: n.maxContains + 1, lits: passes}}})
	}
	return out
}

func appendObjectRefusals(out []refusal, n *node) []refusal {
	for _, name := range n.required {
		out = append(out, refusal{keyword: "required", name: name, alt: conjunction{{op: opAbsent, text: name}}})
	}
	for _, p := range n.props {
		if !p.node.acceptsAll() {
			out = append(out, refusal{keyword: "properties", name: p.name, child: p.node, alt: conjunction{{op: opProp, text: p.name, lits: []literal{refuses(p.node)}}}})
		}
	}
	for _, p := range n.patterns {
		out = append(out, refusal{keyword: "patternProperties", name: p.pattern.text, child: p.node,
			alt: conjunction{{op: opSomeProp, class: &nameClass{pattern: p.pattern}, lits: []literal{refuses(p.node)}}}})
	}
	if n.additional != nil && !n.additional.acceptsAll() {
		out = append(out, refusal{keyword: "additionalProperties", child: n.additional, alt: conjunction{{op: opSomeProp, class: &nameClass{outside: n}, lits: []literal{refuses(n.additional)}}}})
	}
	if n.propertyNames != nil {
		out = append(out, refusal{keyword: "propertyNames", alt: conjunction{{op: opSomeProp, class: &nameClass{passing: []literal{refuses(n.propertyNames)}}}}})
	}
	out = appendCountRefusals(out, "minProperties", "maxProperties", n.minProps, n.maxProps, opMaxProps, opMinProps)
	for _, d := range n.dependentRequired {
		for _, name := range d.requires {
			out = append(out, refusal{keyword: "dependentRequired", name: d.name, alt: conjunction{{op: opProp, text: d.name}, {op: opAbsent, text: name}}})
		}
	}
	for _, p := range n.dependentSchemas {
		out = append(out, refusal{keyword: "dependentSchemas", name: p.name, child: p.node, alt: conjunction{{op: opProp, text: p.name}, {op: opLiterals, lits: []literal{refuses(p.node)}}}})
	}
	if n.unevaluatedProps != nil && !n.unevaluatedProps.acceptsAll() {
		out = append(out, refusal{keyword: "unevaluatedProperties", alt: conjunction{{op: opSomeProp, class: &nameClass{unseen: n}, lits: []literal{refuses(n.unevaluatedProps)}}}})
	}
	return out
}

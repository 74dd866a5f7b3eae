package schema

import (
	"math/big"
	"sort"
)

// node is one schema of a document, its references resolved.
type node struct {
	// id is equal for nodes of equal meaning, across documents.
	id identity
	// pointer is the place in the document.
	pointer string

	acceptsNone bool // the schema false
	types       kindSet
	// enum holds the values of enum or const; nil without either.
	enum    []any
	isConst bool
	// index holds the canonical texts of a long enum.
	index map[string]bool

	numbers
	texts
	arrays
	objects

	ref                        *node
	allOf, anyOf, oneOf        []*node
	not                        *node
	ifNode, thenNode, elseNode *node // if, then, else

	// measured is true when the following fields are set.
	measured bool
	// uniformFrom is the length of the longest prefixItems here or in place.
	uniformFrom int
	// acceptedKinds are those of which every value is accepted, as far as known.
	acceptedKinds kindSet
	// onlyEnum reports whether the node has no keyword beside enum.
	onlyEnum bool
	// constrainsParts reports whether properties or items are constrained.
	constrainsParts bool

	// defaultValue is an annotation, for notes.
	defaultValue any
	hasDefault   bool
}

type numbers struct {
	min, max     *big.Rat
	exclusiveMin *big.Rat // exclusiveMinimum
	exclusiveMax *big.Rat
	multipleOf   *big.Rat
}

type texts struct {
	minLen, maxLen int // maxLen is none when unset
	pattern        *pattern
	format         string
}

type arrays struct {
	prefixItems              []*node
	items                    *node
	contains                 *node
	minContains, maxContains int
	minItems, maxItems       int
	uniqueItems              bool
	unevaluatedItems         *node // unevaluatedItems
}

type objects struct {
	props              []prop // sorted by name
	patterns           []patternProp
	additional         *node // additionalProperties
	propertyNames      *node // propertyNames
	required           []string
	minProps, maxProps int
	dependentRequired  []dependency // dependentRequired
	dependentSchemas   []prop       // dependentSchemas
	unevaluatedProps   *node        // unevaluatedProperties
}

type prop struct {
	name string
	node *node
}

type patternProp struct {
	pattern *pattern
	node    *node
}

type dependency struct {
	name     string
	requires []string
}

// unlimited is the value of a maximum that is not set.
const unlimited = -1

// findProp returns the schema of a named property, or nil.
func findProp(props []prop, name string) *node {
	i := sort.Search(len(props), func(i int) bool { return props[i].name >= name })
	if i < len(props) && props[i].name == name {
		return props[i].node
	}
	return nil
}

// maxUnindexed is the most enum values that are searched one by one.
const maxUnindexed = 16

func (n *node) indexValues() {
	if len(n.enum) <= maxUnindexed {
		return
	}
	n.index = make(map[string]bool, len(n.enum))
	for _, v := range n.enum {
		n.index[canonicalText(v)] = true
	}
}

// hasValue reports whether enum has a value.
func (n *node) hasValue(m *meter, v any) bool {
	m.spendValue(v)
	if n.index != nil {
		return n.index[canonicalText(v)]
	}
	return containsValue(n.enum, v)
}

// constrainsProps reports whether properties are constrained by name.
func (n *node) constrainsProps() bool {
	return len(n.props) > 0 || len(n.patterns) > 0 || n.additional != nil
}

// constrainsItems reports whether items are constrained by place.
func (n *node) constrainsItems() bool { return len(n.prefixItems) > 0 || n.items != nil }

// acceptsAll reports whether the node is known to accept everything.
func (n *node) acceptsAll() bool { return n.id == alwaysNode.id }

// visitChildren calls visit with every direct child, in a fixed order.
func (n *node) visitChildren(visit func(*node)) {
	one := func(c *node) {
		if c != nil {
			visit(c)
		}
	}
	many := func(list []*node) {
		for _, c := range list {
			visit(c)
		}
	}
	props := func(list []prop) {
		for _, p := range list {
			visit(p.node)
		}
	}
	one(n.ref)
	many(n.allOf)
	many(n.anyOf)
	many(n.oneOf)
	one(n.not)
	one(n.ifNode)
	one(n.thenNode)
	one(n.elseNode)
	many(n.prefixItems)
	one(n.items)
	one(n.contains)
	one(n.unevaluatedItems)
	props(n.props)
	for _, p := range n.patterns {
		visit(p.node)
	}
	one(n.additional)
	one(n.propertyNames)
	props(n.dependentSchemas)
	one(n.unevaluatedProps)
}

// visitConjuncts calls visit with the direct children that a value must also pass.
func (n *node) visitConjuncts(visit func(*node)) {
	if n.ref != nil {
		visit(n.ref)
	}
	for _, c := range n.allOf {
		visit(c)
	}
}

// visitInPlace calls visit with the direct children that apply to the same value.
func (n *node) visitInPlace(visit func(*node)) {
	for _, list := range [][]*node{{n.ref, n.not, n.ifNode, n.thenNode, n.elseNode}, n.allOf, n.anyOf, n.oneOf} {
		for _, c := range list {
			if c != nil {
				visit(c)
			}
		}
	}
	for _, p := range n.dependentSchemas {
		visit(p.node)
	}
}

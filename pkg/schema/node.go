package schema

import (
	"math/big"
	"sort"
)

// node is one schema of a document, its references resolved.
type node struct {
	// id is the same for nodes that say the same, in whatever document.
	id identity
	// at is where the node stands.
	at string

	never bool // the schema false
	types kindSet
	// values are those of enum or const; nil when neither is there.
	values  []any
	isConst bool
	// index are the values by their canonical text, when there are many.
	index map[string]bool

	numbers
	texts
	arrays
	objects

	ref                 *node
	allOf, anyOf, oneOf []*node
	not                 *node
	cond, then, other   *node // if, then, else

	// preset is the default; an annotation, which sentences mention.
	preset    any
	hasPreset bool
}

type numbers struct {
	min, max   *big.Rat
	minOpen    *big.Rat // exclusiveMinimum
	maxOpen    *big.Rat
	multipleOf *big.Rat
}

type texts struct {
	minLen, maxLen int // maxLen is none when unset
	pattern        *pattern
	format         string
}

type arrays struct {
	prefix                   []*node
	items                    *node
	contains                 *node
	minContains, maxContains int
	minItems, maxItems       int
	unique                   bool
	restItems                *node // unevaluatedItems
}

type objects struct {
	props              []prop // sorted by name
	patterns           []patternProp
	extra              *node // additionalProperties
	names              *node // propertyNames
	required           []string
	minProps, maxProps int
	needs              []need // dependentRequired
	implies            []prop // dependentSchemas
	restProps          *node  // unevaluatedProperties
}

type prop struct {
	name string
	node *node
}

type patternProp struct {
	pattern *pattern
	node    *node
}

type need struct {
	name  string
	names []string
}

// none stands for a maximum that is not set.
const none = -1

// find returns the schema of a property that is named.
func find(props []prop, name string) *node {
	i := sort.Search(len(props), func(i int) bool { return props[i].name >= name })
	if i < len(props) && props[i].name == name {
		return props[i].node
	}
	return nil
}

// maxPlain is how many values are compared one by one.
const maxPlain = 16

// indexed makes many values quick to find.
func (n *node) indexed() {
	if len(n.values) <= maxPlain {
		return
	}
	n.index = make(map[string]bool, len(n.values))
	for _, v := range n.values {
		n.index[canon(v)] = true
	}
}

// has tells whether a value is one of the node's.
func (n *node) has(v any) bool {
	if n.index != nil {
		return n.index[canon(v)]
	}
	return holds(n.values, v)
}

// groups tells whether the node says which properties may be what.
func (n *node) groups() bool {
	return len(n.props) > 0 || len(n.patterns) > 0 || n.extra != nil
}

// lists tells whether the node says which items may be what.
func (n *node) lists() bool { return len(n.prefix) > 0 || n.items != nil }

// always tells whether the node accepts everything.
func (n *node) always() bool { return n.id == alwaysNode.id }

// children calls visit with every node directly in n, in a fixed order.
func (n *node) children(visit func(*node)) {
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
	one(n.cond)
	one(n.then)
	one(n.other)
	many(n.prefix)
	one(n.items)
	one(n.contains)
	one(n.restItems)
	props(n.props)
	for _, p := range n.patterns {
		visit(p.node)
	}
	one(n.extra)
	one(n.names)
	props(n.implies)
	one(n.restProps)
}

// beside calls visit with the nodes in n that judge the same value as n.
func (n *node) beside(visit func(*node)) {
	for _, list := range [][]*node{{n.ref, n.not, n.cond, n.then, n.other}, n.allOf, n.anyOf, n.oneOf} {
		for _, c := range list {
			if c != nil {
				visit(c)
			}
		}
	}
	for _, p := range n.implies {
		visit(p.node)
	}
}

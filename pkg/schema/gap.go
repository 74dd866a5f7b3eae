package schema

import "math/big"

// boundsOf are the numbers of a gap's keyword in b and in a, if both have one.
func (g gap) boundsOf() (mine, other *big.Rat, both bool) {
	mine, other = g.b.bound(g.keyword), g.otherBound()
	return mine, other, mine != nil && other != nil
}

func (n *node) bound(keyword string) *big.Rat {
	switch keyword {
	case "minimum":
		return n.min
	case "maximum":
		return n.max
	case "exclusiveMinimum":
		return n.minOpen
	case "exclusiveMaximum":
		return n.maxOpen
	case "multipleOf":
		return n.multipleOf
	case "minContains":
		return big.NewRat(int64(n.minContains), 1)
	case "maxContains":
		return most(n.maxContains)
	case "minLength":
		return big.NewRat(int64(n.minLen), 1)
	case "maxLength":
		return most(n.maxLen)
	case "minItems":
		return big.NewRat(int64(n.minItems), 1)
	case "maxItems":
		return most(n.maxItems)
	case "minProperties":
		return big.NewRat(int64(n.minProps), 1)
	case "maxProperties":
		return most(n.maxProps)
	}
	return nil
}

func most(n int) *big.Rat {
	if n == none {
		return nil
	}
	return big.NewRat(int64(n), 1)
}

// boundOps are the atoms that say in a what a keyword says in b.
var boundOps = map[string][2]op{
	"minLength": {opMinLen, opMaxLen}, "minItems": {opMinItems, opMaxItems}, "minProperties": {opMinProps, opMaxProps},
	"maxLength": {opMinLen, opMaxLen}, "maxItems": {opMinItems, opMaxItems}, "maxProperties": {opMinProps, opMaxProps},
}

func (g gap) otherBound() *big.Rat {
	if g.a == nil {
		return nil
	}
	span := spanOf(g.a)
	switch g.keyword {
	case "minimum", "exclusiveMinimum":
		return span.low
	case "maximum", "exclusiveMaximum":
		return span.high
	case "multipleOf":
		if span.step != nil && g.a.any(func(a atom) bool { return a.op == opMultiple }) {
			return span.step
		}
		return nil
	case "minContains", "maxContains":
		return g.otherCount()
	}
	ops, counted := boundOps[g.keyword]
	if !counted {
		return nil
	}
	low, high := g.a.lengths(ops[0], ops[1])
	if g.keyword[:3] == "max" {
		return most(high)
	}
	if low == 0 {
		return nil
	}
	return big.NewRat(int64(low), 1)
}

func (g gap) otherCount() *big.Rat {
	want := opContains
	if g.keyword == "maxContains" {
		want = opFew
	}
	for _, a := range g.a.atoms {
		if a.op == want {
			return big.NewRat(int64(a.n), 1)
		}
	}
	return nil
}

// stated tells that a says something by the same keyword.
func (g gap) stated() bool {
	want := map[string]op{"format": opFormat, "pattern": opPattern, "dependentRequired": opNeed}[g.keyword]
	return g.a != nil && g.a.any(func(a atom) bool { return a.op == want && (want != opNeed || a.node.needsOf(g.name)) })
}

func (n *node) needsOf(name string) bool {
	for _, d := range n.needs {
		if d.name == name {
			return true
		}
	}
	return false
}

// mentions tells whether a names a property.
func (g gap) mentions(name string) bool {
	return g.a != nil && g.a.any(func(a atom) bool { return a.op == opGroup && find(a.node.props, name) != nil })
}

package schema

import "math/big"

// numericBounds returns the numbers of the gap's keyword in b and in a, and reports whether
// both have one.
func (g gap) numericBounds() (mine, other *big.Rat, both bool) {
	mine, other = g.b.numberOf(g.keyword), g.boundOfA()
	return mine, other, mine != nil && other != nil
}

func (n *node) numberOf(keyword string) *big.Rat {
	switch keyword {
	case "minimum":
		return n.min
	case "maximum":
		return n.max
	case "exclusiveMinimum":
		return n.exclusiveMin
	case "exclusiveMaximum":
		return n.exclusiveMax
	case "multipleOf":
		return n.multipleOf
	case "minContains":
		return big.NewRat(int64(n.minContains), 1)
	case "maxContains":
		return ratLimit(n.maxContains)
	case "minLength":
		return big.NewRat(int64(n.minLen), 1)
	case "maxLength":
		return ratLimit(n.maxLen)
	case "minItems":
		return big.NewRat(int64(n.minItems), 1)
	case "maxItems":
		return ratLimit(n.maxItems)
	case "minProperties":
		return big.NewRat(int64(n.minProps), 1)
	case "maxProperties":
		return ratLimit(n.maxProps)
	}
	return nil
}

func ratLimit(n int) *big.Rat {
	if n == unlimited {
		return nil
	}
	return big.NewRat(int64(n), 1)
}

// boundOps maps a keyword of b to the operators of a that bound the same size.
var boundOps = map[string][2]operator{
	"minLength": {opMinLen, opMaxLen}, "minItems": {opMinItems, opMaxItems}, "minProperties": {opMinProps, opMaxProps},
	"maxLength": {opMinLen, opMaxLen}, "maxItems": {opMinItems, opMaxItems}, "maxProperties": {opMinProps, opMaxProps},
}

func (g gap) boundOfA() *big.Rat {
	if g.a == nil {
		return nil
	}
	span := rangeOf(g.a)
	switch g.keyword {
	case "minimum", "exclusiveMinimum":
		return span.low
	case "maximum", "exclusiveMaximum":
		return span.high
	case "multipleOf":
		if span.step != nil && g.a.hasAtom(func(a atom) bool { return a.op == opMultiple }) {
			return span.step
		}
		return nil
	case "minContains", "maxContains":
		return g.countOfA()
	}
	ops, counted := boundOps[g.keyword]
	if !counted {
		return nil
	}
	low, high := g.a.sizeBounds(ops[0], ops[1])
	if g.keyword[:3] == "max" {
		return ratLimit(high)
	}
	if low == 0 {
		return nil
	}
	return big.NewRat(int64(low), 1)
}

func (g gap) countOfA() *big.Rat {
	want := opMinContained
	if g.keyword == "maxContains" {
		want = opMaxContained
	}
	for _, a := range g.a.atoms {
		if a.op == want {
			return big.NewRat(int64(a.n), 1)
		}
	}
	return nil
}

// isStatedByA reports whether a has the same keyword.
func (g gap) isStatedByA() bool {
	want := map[string]operator{"format": opFormat, "pattern": opPattern, "dependentRequired": opDependentRequired}[g.keyword]
	return g.a != nil && g.a.hasAtom(func(a atom) bool {
		return a.op == want && (want != opDependentRequired || a.node.hasDependency(g.name))
	})
}

func (n *node) hasDependency(name string) bool {
	for _, d := range n.dependentRequired {
		if d.name == name {
			return true
		}
	}
	return false
}

// declaresName reports whether a names a property.
func (g gap) declaresName(name string) bool {
	return g.a != nil && g.a.hasAtom(func(a atom) bool { return a.op == opProps && findProp(a.node.props, name) != nil })
}

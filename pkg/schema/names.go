package schema

import (
	"slices"
	"sort"
)

// mentionedNames returns the names in the schemas of the state and of a class. The
// caller must not change the slice.
func (r *partRules) mentionedNames(c *nameClass) []string {
	if c == nil && r.mentioned != nil {
		return r.mentioned
	}
	out := []string{}
	add := func(n *node) {
		r.st.spend(1 + len(n.props))
		for _, p := range n.props {
			out = append(out, p.name)
		}
	}
	for _, n := range r.propNodes {
		add(n)
	}
	for _, n := range r.unevaluatedProps {
		visitInPlaceDeep(n, add)
	}
	out = appendTextValues(out, r.propertyNames)
	for name := range r.presentProps {
		out = append(out, name)
	}
	for name := range r.absentProps {
		out = append(out, name)
	}
	if c != nil {
		r.visitClasses(c, func(c *nameClass) {
			c.visitNodes(add)
			out = appendTextValues(out, c.passing)
		})
	}
	sort.Strings(out)
	out = slices.Compact(out)
	if c == nil {
		r.mentioned = slices.Clip(out)
	}
	return out
}

// appendTextValues appends the strings in enum of literals.
func appendTextValues(to []string, of []literal) []string {
	for _, l := range of {
		for _, v := range l.node.enum {
			if text, ok := v.(string); ok {
				to = append(to, text)
			}
		}
	}
	return to
}

// visitClasses calls visit with a class and those of the other properties that are
// sought: one property may be all of them.
func (r *partRules) visitClasses(c *nameClass, visit func(*nameClass)) {
	visit(c)
	for _, a := range r.st.atoms {
		if a.op == opSomeProp {
			visit(a.class)
		}
	}
}

// visitNodes calls visit with the nodes of a class that constrain names.
func (c *nameClass) visitNodes(visit func(*node)) {
	if c.outside != nil {
		visit(c.outside)
	}
	if c.unseen != nil {
		visitInPlaceDeep(c.unseen, visit)
	}
}

// visitInPlaceDeep calls visit with a node and all of its subschemas that apply to
// the same value.
func visitInPlaceDeep(n *node, visit func(*node)) { walkNodes(n, (*node).visitInPlace, visit) }

// walkNodes calls visit with a node and all that next leads to, each once: several
// references to one node would otherwise double the work at every level.
func walkNodes(n *node, next func(*node, func(*node)), visit func(*node)) {
	var seen map[*node]bool
	var walk func(*node)
	walk = func(n *node) {
		visit(n)
		next(n, func(c *node) {
			if seen == nil {
				seen = map[*node]bool{}
			}
			if !seen[c] {
				seen[c] = true
				walk(c)
			}
		})
	}
	walk(n)
}

// admitsName reports whether a name may be in the class.
func (c *nameClass) admitsName(v nameView, st *state) bool {
	if c.outside != nil && c.outside.namesProp(v) {
		return false
	}
	if c.pattern != nil {
		if matches, known := v.matches(c.pattern); known && !matches {
			return false
		}
	}
	return c.unseen == nil || !(evaluationScope{st, false}).evaluatesProp(c.unseen, v)
}

// maxPatternsCombined is the most patterns whose combinations are tried; the others
// are left open.
const maxPatternsCombined = 6

// decidingPatterns returns the patterns that decide what a property must pass, each
// once.
func (r *partRules) decidingPatterns(c *nameClass) []*pattern {
	var out []*pattern
	take := func(p *pattern) {
		r.st.spend(1 + len(out)/16)
		if !slices.ContainsFunc(out, func(q *pattern) bool { return q.text == p.text }) {
			out = append(out, p)
		}
	}
	add := func(n *node) {
		for _, p := range n.patterns {
			take(p.pattern)
		}
	}
	if c != nil {
		r.visitClasses(c, func(c *nameClass) {
			if c.pattern != nil {
				take(c.pattern)
			}
			c.visitNodes(add)
		})
	}
	for _, n := range r.propNodes {
		add(n)
	}
	for _, n := range r.unevaluatedProps {
		visitInPlaceDeep(n, add)
	}
	return out
}

// nameCombinations yields a view for each combination of the patterns that a name can
// match and of the demands that other sought properties make on their names.
func (r *partRules) nameCombinations(c *nameClass) func(func(nameView) bool) {
	patterns := r.decidingPatterns(c)
	patterns = patterns[:min(len(patterns), maxPatternsCombined)]
	demands := r.nameDemands(c)
	demands = demands[:min(len(demands), maxPatternsCombined-len(patterns))]
	return func(yield func(nameView) bool) {
		for bits := range 1 << (len(patterns) + len(demands)) {
			v := nameView{isUnmentioned: true, patternMatches: make(map[string]bool, len(patterns)), known: patterns}
			for i, p := range patterns {
				v.patternMatches[p.text] = bits>>i&1 == 1
			}
			for i, l := range demands {
				v.passing = append(v.passing, literal{l.node, l.not != (bits>>(len(patterns)+i)&1 == 1)})
			}
			if !yield(v) {
				return
			}
		}
	}
}

// nameDemands returns what the other sought properties demand of their names.
func (r *partRules) nameDemands(c *nameClass) []literal {
	var out []literal
	if c != nil {
		r.visitClasses(c, func(other *nameClass) {
			if other != c {
				out = append(out, other.passing...)
			}
		})
	}
	return out
}

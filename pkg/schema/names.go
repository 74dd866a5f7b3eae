package schema

import (
	"slices"
	"sort"
)

// mentioned are the names that a schema of the state, or a class, speaks of. They
// must not be changed.
func (r *rules) mentioned(c *nameClass) []string {
	if c == nil && r.spoken != nil {
		return r.spoken
	}
	out := []string{}
	add := func(n *node) {
		r.st.spend(len(n.props))
		for _, p := range n.props {
			out = append(out, p.name)
		}
	}
	for _, n := range r.groups {
		add(n)
	}
	for _, n := range r.rest {
		aside(n, 0, add)
	}
	out = appendTexts(out, r.names)
	for name := range r.props {
		out = append(out, name)
	}
	for name := range r.absent {
		out = append(out, name)
	}
	if c != nil {
		c.nodes(add)
		out = appendTexts(out, c.names)
	}
	sort.Strings(out)
	out = slices.Compact(out)
	if c == nil {
		r.spoken = slices.Clip(out)
	}
	return out
}

// appendTexts adds the texts that literals list.
func appendTexts(to []string, of []lit) []string {
	for _, l := range of {
		for _, v := range l.node.values {
			if text, ok := v.(string); ok {
				to = append(to, text)
			}
		}
	}
	return to
}

// nodes calls visit with the nodes that a class asks about names.
func (c *nameClass) nodes(visit func(*node)) {
	if c.outside != nil {
		visit(c.outside)
	}
	if c.unseen != nil {
		aside(c.unseen, 0, visit)
	}
}

// aside calls visit with a node and those that judge the same value.
func aside(n *node, depth int, visit func(*node)) {
	visit(n)
	if depth < MaxDepth {
		n.beside(func(c *node) { aside(c, depth+1, visit) })
	}
}

// admits tells whether a name may be in the class.
func (c *nameClass) admits(v view, st *state) bool {
	if c.outside != nil && c.outside.mentions(v) {
		return false
	}
	if c.pattern != nil {
		if matches, known := v.matches(c.pattern); known && !matches {
			return false
		}
	}
	return c.unseen == nil || !(scope{st, false}).sees(c.unseen, v)
}

// maxSigns is how many patterns are told apart; what others say of a name is left
// open.
const maxSigns = 6

// patterns are those that decide what a property must pass, each once.
func (r *rules) patterns(c *nameClass) []*pattern {
	var out []*pattern
	take := func(p *pattern) {
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
		if c.pattern != nil {
			take(c.pattern)
		}
		c.nodes(add)
	}
	for _, n := range r.groups {
		add(n)
	}
	for _, n := range r.rest {
		aside(n, 0, add)
	}
	return out
}

// signs yields a view for each combination of patterns that a name can match.
func (r *rules) signs(c *nameClass) func(func(view) bool) {
	patterns := r.patterns(c)
	patterns = patterns[:min(len(patterns), maxSigns)]
	return func(yield func(view) bool) {
		for bits := range 1 << len(patterns) {
			v := view{any: true, signs: make(map[string]bool, len(patterns)), known: patterns}
			for i, p := range patterns {
				v.signs[p.text] = bits>>i&1 == 1
			}
			if !yield(v) {
				return
			}
		}
	}
}

package schema

import (
	"slices"
	"sort"
)

// mentioned are the names that a schema of the state, or a class, speaks of.
func (r *rules) mentioned(c *nameClass) []string {
	seen := map[string]bool{}
	add := func(n *node) {
		r.st.spend(len(n.props))
		for _, p := range n.props {
			seen[p.name] = true
		}
	}
	for _, n := range r.groups {
		add(n)
	}
	for _, n := range r.rest {
		aside(n, 0, add)
	}
	for _, l := range r.names {
		for _, v := range l.node.values {
			if name, ok := v.(string); ok {
				seen[name] = true
			}
		}
	}
	for name := range r.props {
		seen[name] = true
	}
	for name := range r.absent {
		seen[name] = true
	}
	c.nodes(add)
	out := make([]string, 0, len(seen))
	for name := range seen {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}

// nodes calls visit with the nodes that a class asks about names.
func (c *nameClass) nodes(visit func(*node)) {
	if c == nil {
		return
	}
	if c.outside != nil {
		visit(c.outside)
	}
	if c.unseen != nil {
		aside(c.unseen, 0, visit)
	}
	for _, l := range c.names {
		for _, v := range l.node.values {
			if name, ok := v.(string); ok {
				visit(&node{objects: objects{props: []prop{{name: name}}}})
			}
		}
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
	if c != nil && c.pattern != nil {
		take(c.pattern)
	}
	c.nodes(add)
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

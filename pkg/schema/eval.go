package schema

import "math/big"

// judge evaluates values against nodes. Draft 2020-12 leaves open whether a
// format is asserted, so every verdict is sought under both readings.
type judge struct {
	formats bool
	// refuses tells which of the formats that nobody here knows refuse.
	refuses func(format string) bool
	*meter
}

// readings are both ways to take formats.
func readings(m *meter) [2]judge {
	return [2]judge{{formats: true, meter: m}, {formats: false, meter: m}}
}

// accepts tells whether a node accepts a value.
func (j judge) accepts(n *node, v any) bool { return j.eval(n, v, nil) }

// marks are the parts of a value that a schema has looked at, for the keywords
// that judge the rest. Nil marks need not be kept.
type marks struct {
	props map[string]bool
	items map[int]bool
}

// fresh returns empty marks if marks are wanted at all.
func (m *marks) fresh() *marks {
	if m == nil {
		return nil
	}
	return &marks{props: map[string]bool{}, items: map[int]bool{}}
}

func (m *marks) add(other *marks) {
	if m == nil || other == nil {
		return
	}
	for name := range other.props {
		m.props[name] = true
	}
	for i := range other.items {
		m.items[i] = true
	}
}

func (m *marks) prop(name string) {
	if m != nil {
		m.props[name] = true
	}
}

func (m *marks) item(i int) {
	if m != nil {
		m.items[i] = true
	}
}

// eval judges a value, and marks what of it was looked at.
func (j judge) eval(n *node, v any, seen *marks) bool {
	if n.never {
		return false
	}
	if n.always() {
		return true
	}
	if !j.spend(1) {
		return false
	}
	if !n.types.has(kindOf(v)) || n.values != nil && !n.has(v) {
		return false
	}
	own := seen
	if n.restProps != nil || n.restItems != nil {
		own = (&marks{}).fresh()
	}
	if !j.own(n, v, own) || !j.combined(n, v, own) {
		return false
	}
	if !j.rest(n, v, own) {
		return false
	}
	if own != seen {
		seen.add(own)
	}
	return true
}

// own judges by the keywords of a value's kind.
func (j judge) own(n *node, v any, seen *marks) bool {
	switch x := v.(type) {
	case *big.Rat:
		return n.numbers.accept(x) && j.format(n, v)
	case string:
		return n.texts.accept(x) && j.format(n, v)
	case []any:
		return j.array(n, x, seen)
	case map[string]any:
		return j.object(n, x, seen)
	}
	return true
}

func (j judge) format(n *node, v any) bool {
	return n.format == "" || j.formatted(n.format, v)
}

func (j judge) formatted(name string, v any) bool {
	if _, known := formats[name]; !known {
		return j.refuses == nil || !j.refuses(name)
	}
	return !j.formats || hasFormat(name, v)
}

// combined judges by the schemas that look at the same value.
func (j judge) combined(n *node, v any, seen *marks) bool {
	if n.ref != nil && !j.eval(n.ref, v, seen) {
		return false
	}
	for _, c := range n.allOf {
		if !j.eval(c, v, seen) {
			return false
		}
	}
	if n.not != nil && j.eval(n.not, v, nil) {
		return false
	}
	if len(n.anyOf) > 0 && j.matching(n.anyOf, v, seen, seen != nil) == 0 {
		return false
	}
	if len(n.oneOf) > 0 && j.matching(n.oneOf, v, seen, true) != 1 {
		return false
	}
	return j.conditional(n, v, seen)
}

// matching counts the branches that accept, or stops at the first.
func (j judge) matching(list []*node, v any, seen *marks, all bool) int {
	found := 0
	for _, c := range list {
		mine := seen.fresh()
		if !j.eval(c, v, mine) {
			continue
		}
		seen.add(mine)
		found++
		if !all {
			break
		}
	}
	return found
}

func (j judge) conditional(n *node, v any, seen *marks) bool {
	if n.cond == nil {
		return true
	}
	mine := seen.fresh()
	next := n.other
	if j.eval(n.cond, v, mine) {
		seen.add(mine)
		next = n.then
	}
	return next == nil || j.eval(next, v, seen)
}

// rest judges what nothing beside it has looked at.
func (j judge) rest(n *node, v any, seen *marks) bool {
	switch x := v.(type) {
	case []any:
		if n.restItems == nil {
			return true
		}
		for i := range x {
			if !seen.items[i] && !j.eval(n.restItems, x[i], nil) {
				return false
			}
			seen.items[i] = true
		}
	case map[string]any:
		if n.restProps == nil {
			return true
		}
		for name := range x {
			if !seen.props[name] && !j.eval(n.restProps, x[name], nil) {
				return false
			}
			seen.props[name] = true
		}
	}
	return true
}

func (j judge) all(lits []lit, v any) bool {
	for _, l := range lits {
		if j.accepts(l.node, v) == l.not {
			return false
		}
	}
	return true
}

package schema

import (
	"math/big"

	"gati.dev/gati/pkg/schema/formats"
)

// judge evaluates values against nodes. Draft 2020-12 leaves open whether formats
// are asserted, so each verdict is sought in both readings.
type judge struct {
	assertsFormats bool
	// refusesUnknown reports whether an unknown format refuses strings and numbers; nil
	// refuses none.
	refusesUnknown func(format string) bool
	*meter
}

// formatReadings returns both readings of formats.
func formatReadings(m *meter) [2]judge {
	return [2]judge{{assertsFormats: true, meter: m}, {assertsFormats: false, meter: m}}
}

func (j judge) accepts(n *node, v any) bool { return j.evaluateNode(n, v, nil) }

// evaluated holds the parts of a value that a schema has evaluated, for the
// unevaluated keywords. Nil means that they are not needed.
type evaluated struct {
	props map[string]bool
	items map[int]bool
}

// empty returns an empty set, or nil for nil.
func (m *evaluated) empty() *evaluated {
	if m == nil {
		return nil
	}
	return &evaluated{props: map[string]bool{}, items: map[int]bool{}}
}

func (m *evaluated) add(other *evaluated) {
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

func (m *evaluated) addProp(name string) {
	if m != nil {
		m.props[name] = true
	}
}

func (m *evaluated) addItem(i int) {
	if m != nil {
		m.items[i] = true
	}
}

// evaluateNode reports whether a node accepts a value, and adds the parts that it
// evaluated to seen.
func (j judge) evaluateNode(n *node, v any, seen *evaluated) bool {
	if n.acceptsNone {
		return false
	}
	if n.acceptsAll() {
		return true
	}
	if !j.spend(1) {
		return false
	}
	if !n.types.has(kindOf(v)) || n.enum != nil && !n.hasValue(j.meter, v) {
		return false
	}
	own := seen
	if n.unevaluatedProps != nil || n.unevaluatedItems != nil {
		own = (&evaluated{}).empty()
	}
	if !j.judgeOwnKeywords(n, v, own) || !j.judgeInPlace(n, v, own) {
		return false
	}
	if !j.judgeUnevaluated(n, v, own) {
		return false
	}
	if own != seen {
		seen.add(own)
	}
	return true
}

// judgeOwnKeywords evaluates the keywords of the value's kind.
func (j judge) judgeOwnKeywords(n *node, v any, seen *evaluated) bool {
	switch x := v.(type) {
	case *big.Rat:
		return j.judgeNumber(n, x) && j.judgeFormat(n, v)
	case string:
		return j.judgeText(n, x) && j.judgeFormat(n, v)
	case []any:
		return j.judgeArray(n, x, seen)
	case map[string]any:
		return j.judgeObject(n, x, seen)
	}
	return true
}

func (j judge) judgeFormat(n *node, v any) bool {
	return n.format == "" || j.acceptsFormat(n.format, v)
}

func (j judge) acceptsFormat(name string, v any) bool {
	if !formats.IsKnown(name) {
		return j.refusesUnknown == nil || !j.refusesUnknown(name)
	}
	return !j.assertsFormats || j.hasFormat(name, v)
}

// judgeInPlace evaluates the subschemas that apply to the same value.
func (j judge) judgeInPlace(n *node, v any, seen *evaluated) bool {
	if n.ref != nil && !j.evaluateNode(n.ref, v, seen) {
		return false
	}
	for _, c := range n.allOf {
		if !j.evaluateNode(c, v, seen) {
			return false
		}
	}
	if n.not != nil && j.evaluateNode(n.not, v, nil) {
		return false
	}
	if len(n.anyOf) > 0 && j.countMatches(n.anyOf, v, seen, seen != nil) == 0 {
		return false
	}
	if len(n.oneOf) > 0 && j.countMatches(n.oneOf, v, seen, true) != 1 {
		return false
	}
	return j.judgeConditional(n, v, seen)
}

// countMatches counts the accepting branches, or stops at the first.
func (j judge) countMatches(list []*node, v any, seen *evaluated, all bool) int {
	found := 0
	for _, c := range list {
		mine := seen.empty()
		if !j.evaluateNode(c, v, mine) {
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

func (j judge) judgeConditional(n *node, v any, seen *evaluated) bool {
	if n.ifNode == nil {
		return true
	}
	mine := seen.empty()
	next := n.elseNode
	if j.evaluateNode(n.ifNode, v, mine) {
		seen.add(mine)
		next = n.thenNode
	}
	return next == nil || j.evaluateNode(next, v, seen)
}

// judgeUnevaluated evaluates the unevaluated keywords, after all others.
func (j judge) judgeUnevaluated(n *node, v any, seen *evaluated) bool {
	switch x := v.(type) {
	case []any:
		if n.unevaluatedItems == nil {
			return true
		}
		for i := range x {
			if !seen.items[i] && !j.evaluateNode(n.unevaluatedItems, x[i], nil) {
				return false
			}
			seen.items[i] = true
		}
	case map[string]any:
		if n.unevaluatedProps == nil {
			return true
		}
		for name := range x {
			if !seen.props[name] && !j.evaluateNode(n.unevaluatedProps, x[name], nil) {
				return false
			}
			seen.props[name] = true
		}
	}
	return true
}

func (j judge) judgeLiterals(lits []literal, v any) bool {
	for _, l := range lits {
		if j.accepts(l.node, v) == l.not {
			return false
		}
	}
	return true
}

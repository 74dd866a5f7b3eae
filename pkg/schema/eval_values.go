package schema

import (
	"math/big"
	"unicode/utf8"
)

func (n *numbers) accept(v *big.Rat) bool {
	return (n.min == nil || v.Cmp(n.min) >= 0) && (n.max == nil || v.Cmp(n.max) <= 0) &&
		(n.minOpen == nil || v.Cmp(n.minOpen) > 0) && (n.maxOpen == nil || v.Cmp(n.maxOpen) < 0) &&
		(n.multipleOf == nil || multiple(v, n.multipleOf))
}

// multiple tells whether v is a whole multiple of step.
func multiple(v, step *big.Rat) bool { return new(big.Rat).Quo(v, step).IsInt() }

func (n *texts) accept(v string) bool {
	if n.minLen > 0 || n.maxLen != none {
		length := utf8.RuneCountInString(v)
		if length < n.minLen || n.maxLen != none && length > n.maxLen {
			return false
		}
	}
	return n.pattern == nil || n.pattern.MatchString(v)
}

func within(count, least, most int) bool { return count >= least && (most == none || count <= most) }

func (j judge) array(n *node, v []any, seen *marks) bool {
	if !within(len(v), n.minItems, n.maxItems) || n.unique && !unique(v) {
		return false
	}
	for i := range v {
		c := n.items
		if i < len(n.prefix) {
			c = n.prefix[i]
		}
		if c == nil {
			break
		}
		if !j.eval(c, v[i], nil) {
			return false
		}
		seen.item(i)
	}
	return n.contains == nil || within(j.contained(n.contains, v, seen), n.minContains, n.maxContains)
}

func (j judge) contained(c *node, v []any, seen *marks) int {
	found := 0
	for i := range v {
		if j.eval(c, v[i], nil) {
			seen.item(i)
			found++
		}
	}
	return found
}

func unique(v []any) bool {
	if len(v) < 2 {
		return true
	}
	return len(distinct(v)) == len(v)
}

func (j judge) object(n *node, v map[string]any, seen *marks) bool {
	if !within(len(v), n.minProps, n.maxProps) {
		return false
	}
	if !n.present(v) {
		return false
	}
	j.spend(len(n.required) / 8)
	if n.names == nil && !n.groups() {
		return j.implied(n, v, seen)
	}
	j.spend(len(v))
	for name := range v {
		if n.names != nil && !j.eval(n.names, name, nil) || n.groups() && !j.property(n, name, v[name], seen) {
			return false
		}
	}
	return j.implied(n, v, seen)
}

// implied judges by dependentSchemas.
func (j judge) implied(n *node, v map[string]any, seen *marks) bool {
	for _, p := range n.implies {
		if _, there := v[p.name]; there && !j.eval(p.node, v, seen) {
			return false
		}
	}
	return true
}

// present tells whether the properties are there that must be.
func (n *node) present(v map[string]any) bool {
	for _, name := range n.required {
		if _, there := v[name]; !there {
			return false
		}
	}
	for _, d := range n.needs {
		if _, there := v[d.name]; !there {
			continue
		}
		for _, name := range d.names {
			if _, there := v[name]; !there {
				return false
			}
		}
	}
	return true
}

// property judges the value of one property.
func (j judge) property(n *node, name string, v any, seen *marks) bool {
	for c := range n.applying(name) {
		if !j.eval(c, v, nil) {
			return false
		}
		seen.prop(name)
	}
	return true
}

// applying yields what properties, patternProperties and additionalProperties
// say of a name.
func (n *node) applying(name string) func(func(*node) bool) {
	return func(yield func(*node) bool) {
		c := find(n.props, name)
		matched := c != nil
		if matched && !yield(c) {
			return
		}
		for _, p := range n.patterns {
			if p.pattern.MatchString(name) {
				matched = true
				if !yield(p.node) {
					return
				}
			}
		}
		if !matched && n.extra != nil {
			yield(n.extra)
		}
	}
}

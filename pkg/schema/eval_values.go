package schema

import (
	"math/big"
	"unicode/utf8"
)

func (j judge) judgeNumber(n *node, v *big.Rat) bool {
	if n.multipleOf != nil {
		j.spendNumbers(v, n.multipleOf)
	}
	return n.acceptNumber(v)
}

func (n *numbers) acceptNumber(v *big.Rat) bool {
	return (n.min == nil || v.Cmp(n.min) >= 0) && (n.max == nil || v.Cmp(n.max) <= 0) &&
		(n.exclusiveMin == nil || v.Cmp(n.exclusiveMin) > 0) && (n.exclusiveMax == nil || v.Cmp(n.exclusiveMax) < 0) &&
		(n.multipleOf == nil || isMultiple(v, n.multipleOf))
}

func isMultiple(v, step *big.Rat) bool { return new(big.Rat).Quo(v, step).IsInt() }

func (j judge) judgeText(n *node, v string) bool {
	if n.minLen > 0 || n.maxLen != unlimited {
		j.spend(len(v) / countedPerUnit)
		length := utf8.RuneCountInString(v)
		if length < n.minLen || n.maxLen != unlimited && length > n.maxLen {
			return false
		}
	}
	return n.pattern == nil || n.pattern.matches(j.meter, v)
}

func isWithin(count, least, most int) bool {
	return count >= least && (most == unlimited || count <= most)
}

func (j judge) judgeArray(n *node, v []any, seen *evaluated) bool {
	if n.uniqueItems {
		j.spendValue(v)
	}
	if !isWithin(len(v), n.minItems, n.maxItems) || n.uniqueItems && !hasUniqueItems(v) {
		return false
	}
	for i := range v {
		c := n.items
		if i < len(n.prefixItems) {
			c = n.prefixItems[i]
		}
		if c == nil {
			break
		}
		if !j.evaluateNode(c, v[i], nil) {
			return false
		}
		seen.addItem(i)
	}
	return n.contains == nil || isWithin(j.countContained(n.contains, v, seen), n.minContains, n.maxContains)
}

func (j judge) countContained(c *node, v []any, seen *evaluated) int {
	found := 0
	for i := range v {
		if j.evaluateNode(c, v[i], nil) {
			seen.addItem(i)
			found++
		}
	}
	return found
}

func hasUniqueItems(v []any) bool {
	if len(v) < 2 {
		return true
	}
	return len(distinctValues(v)) == len(v)
}

func (j judge) judgeObject(n *node, v map[string]any, seen *evaluated) bool {
	if !isWithin(len(v), n.minProps, n.maxProps) {
		return false
	}
	if !n.hasRequired(v) {
		return false
	}
	j.spend(len(n.required) / 8)
	if n.propertyNames == nil && !n.constrainsProps() {
		return j.judgeDependentSchemas(n, v, seen)
	}
	j.spend(len(v))
	for name := range v {
		if n.propertyNames != nil && !j.evaluateNode(n.propertyNames, name, nil) || n.constrainsProps() && !j.judgeProperty(n, name, v[name], seen) {
			return false
		}
	}
	return j.judgeDependentSchemas(n, v, seen)
}

func (j judge) judgeDependentSchemas(n *node, v map[string]any, seen *evaluated) bool {
	for _, p := range n.dependentSchemas {
		if _, there := v[p.name]; there && !j.evaluateNode(p.node, v, seen) {
			return false
		}
	}
	return true
}

// hasRequired reports whether a value has the properties of required and
// dependentRequired.
func (n *node) hasRequired(v map[string]any) bool {
	for _, name := range n.required {
		if _, there := v[name]; !there {
			return false
		}
	}
	for _, d := range n.dependentRequired {
		if _, there := v[d.name]; !there {
			continue
		}
		for _, name := range d.requires {
			if _, there := v[name]; !there {
				return false
			}
		}
	}
	return true
}

func (j judge) judgeProperty(n *node, name string, v any, seen *evaluated) bool {
	for c := range n.applicableTo(j.meter, name) {
		if !j.evaluateNode(c, v, nil) {
			return false
		}
		seen.addProp(name)
	}
	return true
}

// applicableTo yields what properties, patternProperties and additionalProperties
// apply to a name.
func (n *node) applicableTo(m *meter, name string) func(func(*node) bool) {
	return func(yield func(*node) bool) {
		c := findProp(n.props, name)
		matched := c != nil
		if matched && !yield(c) {
			return
		}
		for _, p := range n.patterns {
			if p.pattern.matches(m, name) {
				matched = true
				if !yield(p.node) {
					return
				}
			}
		}
		if !matched && n.additional != nil {
			yield(n.additional)
		}
	}
}

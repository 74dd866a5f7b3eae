package schema

import "fmt"

// acceptingBranches returns the branches that may accept something of the premise.
func (c *comparer) acceptingBranches(s *premise, list []*node) []*node {
	var out []*node
	for _, n := range list {
		if c.findWitness(s, inPlace(accepts(n))).verdict != impossible {
			out = append(out, n)
		}
	}
	return out
}

// taggedBranches returns the branches whose discriminator may have the value that it has
// in the premise.
func (c *comparer) taggedBranches(s *premise, list []*node) []*node {
	var out []*node
	for _, n := range list {
		tags := tagsOf(n, s.st.kind)
		possible := len(tags) > 0
		for _, t := range tags {
			has := conjunction{{op: opProp, text: t.name, lits: []literal{accepts(t.values)}}}
			possible = possible && c.findWitness(s, has).verdict != impossible
		}
		if possible {
			out = append(out, n)
		}
	}
	return out
}

// nameVariant names, in gaps, the member of a union that they are in: by its only value
// of a required discriminator.
func (c *comparer) nameVariant(s *premise, n *node, gaps []gap) []gap {
	out := append([]gap{}, gaps...)
	for _, t := range tagsOf(n, s.st.kind) {
		if len(t.values.enum) != 1 || !t.required {
			continue
		}
		for i := range out {
			if out[i].variant == "" {
				out[i].variant = fmt.Sprintf("%s %s", t.name, showValue(t.values.enum[0]))
			}
		}
		break
	}
	return out
}

// nameRemoved names, in gaps, the member of a union that no branch has any more: by the
// only value of a discriminator in the premise.
func (c *comparer) nameRemoved(s *premise, list []*node, gaps []gap) []gap {
	if len(gaps) == 0 || s.st.kind != kindObject {
		return gaps
	}
	for _, n := range list {
		for _, t := range tagsOf(n, kindObject) {
			for _, l := range s.partRules().literalsForProp(c.viewOf(t.name)) {
				if !l.not && len(l.node.enum) == 1 {
					for i := range gaps {
						gaps[i].isVariantRemoved = true
						gaps[i].variant = fmt.Sprintf("%s %s", t.name, showValue(l.node.enum[0]))
					}
					return gaps
				}
			}
		}
	}
	return gaps
}

package schema

// nameView is a property name as a schema matches it: a known name, or any
// unmentioned name of which only some pattern matches are known.
type nameView struct {
	name           string
	isUnmentioned  bool
	patternMatches map[string]bool // by the text of a pattern
	known          []*pattern      // those in patternMatches
	passing        []literal       // what the name passes besides
	*meter
}

func (m *meter) viewOf(name string) nameView { return nameView{name: name, meter: m} }

// matches reports whether a pattern matches, and whether that is known.
func (v nameView) matches(p *pattern) (matches, known bool) {
	if !v.isUnmentioned {
		return p.beyond == "" && p.matches(v.meter, v.name), p.beyond == ""
	}
	matches, known = v.patternMatches[p.text]
	return matches, known
}

// visitApplicable calls visit with what properties, patternProperties and
// additionalProperties apply to a name. It calls unsure when a pattern with unknown
// match decides.
func (n *node) visitApplicable(v nameView, visit func(*node), unsure func()) {
	spoken := false
	if !v.isUnmentioned {
		if c := findProp(n.props, v.name); c != nil {
			visit(c)
			spoken = true
		}
	}
	open := false
	for _, p := range n.patterns {
		matches, known := v.matches(p.pattern)
		if matches {
			visit(p.node)
			spoken = true
		}
		open = open || !known
	}
	switch {
	case open:
		unsure()
	case !spoken && n.additional != nil:
		visit(n.additional)
	}
}

// namesProp reports whether properties or patternProperties are known to apply to a
// name.
func (n *node) namesProp(v nameView) bool {
	if !v.isUnmentioned && findProp(n.props, v.name) != nil {
		return true
	}
	for _, p := range n.patterns {
		if matches, _ := v.matches(p.pattern); matches {
			return true
		}
	}
	return false
}

func ignoreUnsure() {}

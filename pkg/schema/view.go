package schema

// nameView is a property name as a schema sees it: a known one, or any name that no
// schema names, of which only some patterns are known to match or not.
type nameView struct {
	name           string
	isUnmentioned  bool
	patternMatches map[string]bool // by the text of a pattern
	known          []*pattern      // those that have a sign
}

func viewOf(name string) nameView { return nameView{name: name} }

// matches reports whether a pattern matches, and whether that is known.
func (v nameView) matches(p *pattern) (matches, known bool) {
	if !v.isUnmentioned {
		return p.MatchString(v.name), true
	}
	matches, known = v.patternMatches[p.text]
	return matches, known
}

// visitApplicable calls visit with what properties, patternProperties and
// additionalProperties of n say of a name, and unsure when a pattern that is not
// known decides.
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

// namesProp reports whether properties or patternProperties of n speak of a name. It
// says no when it does not know.
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

package schema

// view is a property name as a schema sees it: a known one, or any name that no
// schema names, of which only some patterns are known to match or not.
type view struct {
	name  string
	any   bool
	signs map[string]bool // by the text of a pattern
	known []*pattern      // those that have a sign
}

func named(name string) view { return view{name: name} }

// matches tells whether a pattern matches, and whether that is known.
func (v view) matches(p *pattern) (matches, known bool) {
	if !v.any {
		return p.MatchString(v.name), true
	}
	matches, known = v.signs[p.text]
	return matches, known
}

// speaking calls visit with what properties, patternProperties and
// additionalProperties of n say of a name, and unsure when a pattern that is not
// known decides.
func (n *node) speaking(v view, visit func(*node), unsure func()) {
	spoken := false
	if !v.any {
		if c := find(n.props, v.name); c != nil {
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
	case !spoken && n.extra != nil:
		visit(n.extra)
	}
}

// mentions tells whether properties or patternProperties of n speak of a name. It
// says no when it does not know.
func (n *node) mentions(v view) bool {
	if !v.any && find(n.props, v.name) != nil {
		return true
	}
	for _, p := range n.patterns {
		if matches, _ := v.matches(p.pattern); matches {
			return true
		}
	}
	return false
}

func nothing() {}

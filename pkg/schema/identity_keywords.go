package schema

func (w *writer) numbers(n *node) {
	w.rat("min", n.min)
	w.rat("max", n.max)
	w.rat("minOpen", n.minOpen)
	w.rat("maxOpen", n.maxOpen)
	w.rat("multipleOf", n.multipleOf)
}

func (w *writer) texts(n *node) {
	w.atLeast("minLen", n.minLen)
	w.atMost("maxLen", n.maxLen)
	if n.pattern != nil {
		w.tag("pattern")
		w.text(n.pattern.text)
	}
	if n.format != "" {
		w.tag("format")
		w.text(n.format)
	}
}

func (w *writer) atLeast(name string, n int) {
	if n > 0 {
		w.count(name, n)
	}
}

func (w *writer) atMost(name string, n int) {
	if n != none {
		w.count(name, n)
	}
}

func (w *writer) arrays(n *node) {
	w.many(n, "prefix", n.prefix)
	w.one(n, "items", n.items)
	if n.contains != nil {
		w.one(n, "contains", n.contains)
		w.count("minContains", n.minContains)
		w.atMost("maxContains", n.maxContains)
	}
	w.atLeast("minItems", n.minItems)
	w.atMost("maxItems", n.maxItems)
	if n.unique {
		w.tag("unique")
	}
	w.one(n, "restItems", n.restItems)
}

func (w *writer) objects(n *node) {
	w.props(n, "props", n.props)
	for _, p := range n.patterns {
		w.tag("patternProp")
		w.text(p.pattern.text)
		w.child(n, p.node)
	}
	w.one(n, "extra", n.extra)
	w.one(n, "names", n.names)
	for _, name := range n.required {
		w.tag("required")
		w.text(name)
	}
	w.atLeast("minProps", n.minProps)
	w.atMost("maxProps", n.maxProps)
	for _, d := range n.needs {
		w.tag("need")
		w.text(d.name)
		for _, name := range d.names {
			w.text(name)
		}
		w.tag(".")
	}
	w.props(n, "implies", n.implies)
	w.one(n, "restProps", n.restProps)
}

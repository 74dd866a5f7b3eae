package schema

func (w *identityWriter) writeNumbers(n *node) {
	w.writeNumber("min", n.min)
	w.writeNumber("max", n.max)
	w.writeNumber("minOpen", n.exclusiveMin)
	w.writeNumber("maxOpen", n.exclusiveMax)
	w.writeNumber("multipleOf", n.multipleOf)
}

func (w *identityWriter) writeTexts(n *node) {
	w.writeMin("minLen", n.minLen)
	w.writeMax("maxLen", n.maxLen)
	if n.pattern != nil {
		w.writeTag("pattern")
		w.writeText(n.pattern.text)
	}
	if n.format != "" {
		w.writeTag("format")
		w.writeText(n.format)
	}
}

func (w *identityWriter) writeMin(name string, n int) {
	if n > 0 {
		w.writeCount(name, n)
	}
}

func (w *identityWriter) writeMax(name string, n int) {
	if n != unlimited {
		w.writeCount(name, n)
	}
}

func (w *identityWriter) writeArrays(n *node) {
	w.writeNodes(n, "prefix", n.prefixItems)
	w.writeOptional(n, "items", n.items)
	if n.contains != nil {
		w.writeOptional(n, "contains", n.contains)
		w.writeCount("minContains", n.minContains)
		w.writeMax("maxContains", n.maxContains)
	}
	w.writeMin("minItems", n.minItems)
	w.writeMax("maxItems", n.maxItems)
	if n.uniqueItems {
		w.writeTag("unique")
	}
	w.writeOptional(n, "restItems", n.unevaluatedItems)
}

func (w *identityWriter) writeObjects(n *node) {
	w.writeProps(n, "props", n.props)
	for _, p := range n.patterns {
		w.writeTag("patternProp")
		w.writeText(p.pattern.text)
		w.writeChild(n, p.node)
	}
	w.writeOptional(n, "extra", n.additional)
	w.writeOptional(n, "names", n.propertyNames)
	for _, name := range n.required {
		w.writeTag("required")
		w.writeText(name)
	}
	w.writeMin("minProps", n.minProps)
	w.writeMax("maxProps", n.maxProps)
	for _, d := range n.dependentRequired {
		w.writeTag("need")
		w.writeText(d.name)
		for _, name := range d.requires {
			w.writeText(name)
		}
		w.writeTag(".")
	}
	w.writeProps(n, "implies", n.dependentSchemas)
	w.writeOptional(n, "restProps", n.unevaluatedProps)
}

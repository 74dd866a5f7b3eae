package schema

import (
	"fmt"
	"sort"
)

func nodeKeyword(field func(*node) **node) keywordReader {
	return func(b *builder, n *node, v any, at string, depth int) {
		*field(n) = b.buildNode(v, at, depth+1)
	}
}

func nodesKeyword(field func(*node) *[]*node) keywordReader {
	return func(b *builder, n *node, v any, at string, depth int) {
		*field(n) = b.buildList(v, at, depth)
	}
}

func readItems(b *builder, n *node, v any, at string, depth int) {
	if _, list := v.([]any); list {
		b.addProblem(at, "is a list, the tuple of older drafts; use prefixItems")
		return
	}
	n.items = b.buildNode(v, at, depth+1)
}

func readProperties(b *builder, n *node, v any, at string, depth int) {
	if object, ok := v.(map[string]any); ok && !b.countProperties(len(object), at) {
		return
	}
	n.props = b.buildProps(v, at, depth)
}

// countProperties reports whether more properties are within the limit.
func (b *builder) countProperties(more int, at string) bool {
	if b.properties += more; b.properties > MaxProperties {
		b.addProblem(at, "raises the number of properties to %d; a schema must have at most %d: move repeated parts to $defs", b.properties, MaxProperties)
		return false
	}
	return true
}

func readPatterns(b *builder, n *node, v any, at string, depth int) {
	object, ok := v.(map[string]any)
	if ok && !b.countProperties(len(object), at) {
		return
	}
	for _, p := range b.buildProps(v, at, depth) {
		if re := b.compilePattern(p.name, appendPointer(at, p.name)); re != nil {
			n.patterns = append(n.patterns, patternProp{re, p.node})
		}
	}
}

func readDependentSchemas(b *builder, n *node, v any, at string, depth int) {
	n.dependentSchemas = b.buildProps(v, at, depth)
}

func readRequired(b *builder, n *node, v any, at string, _ int) { n.required = b.readNames(v, at) }

func readDependentRequired(b *builder, n *node, v any, at string, _ int) {
	object, ok := v.(map[string]any)
	if !ok {
		b.addProblem(at, "is %s; it must be an object of lists of names", describeValue(v))
		return
	}
	for _, name := range sortedKeys(object) {
		n.dependentRequired = append(n.dependentRequired, dependency{name, b.readNames(object[name], appendPointer(at, name))})
	}
}

// readNames reads a list of property names, sorted.
func (b *builder) readNames(v any, at string) []string {
	list, ok := v.([]any)
	if !ok {
		b.addProblem(at, "is %s; it must be a list of names", describeValue(v))
		return nil
	}
	names := make([]string, 0, len(list))
	seen := make(map[string]bool, len(list))
	for _, item := range list {
		name, isText := item.(string)
		if !isText || seen[name] {
			b.addProblem(at, "holds %s; it must hold names of properties, each once", describeValue(item))
			return nil
		}
		seen[name] = true
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// readDefs builds definitions. They constrain nothing by themselves.
func readDefs(b *builder, _ *node, v any, at string, depth int) { b.buildProps(v, at, depth) }

// readDependencies refuses a keyword of older drafts. Draft 2020-12 ignores it,
// which its author cannot mean.
func readDependencies(b *builder, _ *node, _ any, at string, _ int) {
	b.addProblem(at, "is from older drafts; use dependentRequired or dependentSchemas")
}

func refusedKeyword(remedy string) keywordReader {
	return func(b *builder, _ *node, _ any, at string, _ int) {
		b.addProblem(at, "cannot be used here; %s", remedy)
	}
}

func readDialect(b *builder, _ *node, v any, at string, depth int) {
	if depth > 0 {
		b.addProblem(at, "is in an inner schema; write it once, at the top")
	} else if _, known := findDialect(v); !known {
		b.addProblem(at, "is %s; write draft-04, -06, -07, 2019-09 or 2020-12, such as %s, or leave $schema out", describeValue(v), draft2020)
	}
}

func readID(b *builder, _ *node, v any, at string, depth int) {
	text, ok := v.(string)
	if depth > 0 {
		b.addProblem(at, "is in an inner schema; name it under $defs and refer to it as #/$defs/<name>")
	} else if err := checkURI(text); !ok || err != nil {
		b.addProblem(at, "is %s; it must be a URI without a fragment", describeValue(v))
	}
}

func checkURI(text string) error {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] == '#' && i < len(text)-1 {
			return fmt.Errorf("at %d", i)
		}
	}
	return nil
}

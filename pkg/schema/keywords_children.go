package schema

import (
	"fmt"
	"sort"
)

func single(field func(*node) **node) reader {
	return func(b *builder, n *node, v any, at string, depth int) {
		*field(n) = b.node(v, at, depth+1)
	}
}

func branches(field func(*node) *[]*node) reader {
	return func(b *builder, n *node, v any, at string, depth int) {
		*field(n) = b.list(v, at, depth)
	}
}

func readItems(b *builder, n *node, v any, at string, depth int) {
	if _, list := v.([]any); list {
		b.fault(at, "is a list, which is how older drafts wrote a tuple; use prefixItems")
		return
	}
	n.items = b.node(v, at, depth+1)
}

func readProperties(b *builder, n *node, v any, at string, depth int) {
	if object, ok := v.(map[string]any); ok && !b.room(len(object), at) {
		return
	}
	n.props = b.named(v, at, depth)
}

// room counts properties.
func (b *builder) room(more int, at string) bool {
	if b.properties += more; b.properties > MaxProperties {
		b.fault(at, "brings the properties of the schema to %d; it must have at most %d: say what is repeated once under $defs", b.properties, MaxProperties)
		return false
	}
	return true
}

func readPatterns(b *builder, n *node, v any, at string, depth int) {
	object, ok := v.(map[string]any)
	if ok && !b.room(len(object), at) {
		return
	}
	for _, p := range b.named(v, at, depth) {
		if re := b.pattern(p.name, below(at, p.name)); re != nil {
			n.patterns = append(n.patterns, patternProp{re, p.node})
		}
	}
}

func readImplies(b *builder, n *node, v any, at string, depth int) { n.implies = b.named(v, at, depth) }

func readRequired(b *builder, n *node, v any, at string, _ int) { n.required = b.names(v, at) }

func readNeeds(b *builder, n *node, v any, at string, _ int) {
	object, ok := v.(map[string]any)
	if !ok {
		b.fault(at, "is %s; it must be an object of lists of names", told(v))
		return
	}
	for _, name := range sortedKeys(object) {
		n.needs = append(n.needs, need{name, b.names(object[name], below(at, name))})
	}
}

// names reads a list of property names, sorted.
func (b *builder) names(v any, at string) []string {
	list, ok := v.([]any)
	if !ok {
		b.fault(at, "is %s; it must be a list of names", told(v))
		return nil
	}
	names := make([]string, 0, len(list))
	seen := make(map[string]bool, len(list))
	for _, item := range list {
		name, isText := item.(string)
		if !isText || seen[name] {
			b.fault(at, "holds %s; it must hold names of properties, each once", told(item))
			return nil
		}
		seen[name] = true
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// readDefs builds the schemas to refer to. They judge nothing themselves.
func readDefs(b *builder, _ *node, v any, at string, depth int) { b.named(v, at, depth) }

// readDependencies is of older drafts; draft 2020-12 ignores it, which is not
// what its author meant.
func readDependencies(b *builder, _ *node, _ any, at string, _ int) {
	b.fault(at, "is of older drafts; use dependentRequired or dependentSchemas")
}

func refused(remedy string) reader {
	return func(b *builder, _ *node, _ any, at string, _ int) {
		b.fault(at, "cannot be used here; %s", remedy)
	}
}

// dialect is the only draft.
const dialect = "https://json-schema.org/draft/2020-12/schema"

func readDialect(b *builder, _ *node, v any, at string, depth int) {
	if depth > 0 {
		b.fault(at, "stands in an inner schema; say it once, at the top")
	} else if v != dialect && v != dialect+"#" {
		b.fault(at, "is %s; write the schema in draft 2020-12, %s, or leave $schema out", told(v), dialect)
	}
}

func readID(b *builder, _ *node, v any, at string, depth int) {
	text, ok := v.(string)
	if depth > 0 {
		b.fault(at, "stands in an inner schema; name it under $defs and refer to it as #/$defs/<name>")
	} else if err := identifier(text); !ok || err != nil {
		b.fault(at, "is %s; it must be a URI without a fragment", told(v))
	}
}

func identifier(text string) error {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] == '#' && i < len(text)-1 {
			return fmt.Errorf("at %d", i)
		}
	}
	return nil
}

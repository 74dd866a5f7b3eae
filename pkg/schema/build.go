package schema

import (
	"fmt"
	"sort"
	"strconv"
)

// builder makes nodes of a document. It collects problems and goes on, so that
// one look shows several.
type builder struct {
	doc      any
	at       map[string]*node
	nodes    []*node
	refs     []reference
	problems Problems

	properties, weight int
}

func (b *builder) fault(pointer, format string, args ...any) {
	if len(b.problems) < maxProblems {
		b.problems = append(b.problems, Problem{pointer, fmt.Sprintf(format, args...)})
	}
}

// full tells that a limit is broken, after which nothing more is built.
func (b *builder) full() bool { return len(b.problems) >= maxProblems || len(b.nodes) > MaxSchemas }

// node builds the schema that stands at a pointer.
func (b *builder) node(doc any, at string, depth int) *node {
	n := blank(at)
	if b.full() {
		return n
	}
	b.nodes = append(b.nodes, n)
	b.at[at] = n
	if len(b.nodes) > MaxSchemas {
		b.problems = Problems{{"", fmt.Sprintf("holds more than %d schemas, every property and branch counted; say what is repeated once under $defs", MaxSchemas)}}
		return n
	}
	if depth > MaxDepth {
		b.fault(at, "stands %d schemas deep; at most %d: name the inner ones under $defs and refer to them", depth, MaxDepth)
		return n
	}
	switch v := doc.(type) {
	case bool:
		n.never = !v
	case map[string]any:
		b.keywords(n, v, depth)
	default:
		b.fault(at, "is %s; a schema is an object, true or false", told(doc))
	}
	return n
}

// blank is a node that accepts everything.
func blank(at string) *node {
	n := &node{at: at, types: allKinds}
	n.maxLen, n.maxItems, n.maxProps = none, none, none
	n.minContains, n.maxContains = 1, none
	return n
}

// keywords reads the keywords in the order of their names: what a problem says
// must not depend on the order of a map.
func (b *builder) keywords(n *node, doc map[string]any, depth int) {
	for _, name := range sortedKeys(doc) {
		if read, known := keywords[name]; known {
			read(b, n, doc[name], below(n.at, name), depth)
		}
	}
	if n.contains == nil {
		n.minContains, n.maxContains = 1, none
	}
	if n.cond == nil {
		n.then, n.other = nil, nil
	}
	nullable(b, n, doc)
	n.indexed()
}

// nullable is OpenAPI's, which adds null to a type that is given.
func nullable(b *builder, n *node, doc map[string]any) {
	v, given := doc["nullable"]
	if !given {
		return
	}
	yes, ok := v.(bool)
	if !ok {
		b.fault(below(n.at, "nullable"), "is %s; it must be true or false", told(v))
		return
	}
	if _, typed := doc["type"]; yes && typed {
		n.types |= 1 << kindNull
	}
}

func sortedKeys[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// list builds the schemas of an array, which must not be empty.
func (b *builder) list(v any, at string, depth int) []*node {
	items, ok := v.([]any)
	if !ok || len(items) == 0 {
		b.fault(at, "is %s; it must be a list with at least one schema", told(v))
		return nil
	}
	out := make([]*node, len(items))
	for i := range items {
		out[i] = b.node(items[i], below(at, strconv.Itoa(i)), depth+1)
	}
	return out
}

// named builds the schemas of an object, sorted by name.
func (b *builder) named(v any, at string, depth int) []prop {
	object, ok := v.(map[string]any)
	if !ok {
		b.fault(at, "is %s; it must be an object of schemas", told(v))
		return nil
	}
	out := make([]prop, 0, len(object))
	for _, name := range sortedKeys(object) {
		if b.full() {
			break
		}
		out = append(out, prop{name, b.node(object[name], below(at, name), depth+1)})
	}
	return out
}

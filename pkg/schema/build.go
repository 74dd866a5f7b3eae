package schema

import (
	"fmt"
	"sort"
	"strconv"
)

// builder builds the nodes of a document. It collects problems and goes on, so that
// one run reports several.
type builder struct {
	doc       any
	byPointer map[string]*node
	nodes     []*node
	refs      []reference
	problems  Problems
	unchecked []Note

	properties, patternWeight int
}

func (b *builder) addProblem(pointer, format string, args ...any) {
	if len(b.problems) < maxProblems {
		b.problems = append(b.problems, Problem{pointer, fmt.Sprintf(format, args...)})
	}
}

// isFull reports whether a limit is exceeded; nothing more is built then.
func (b *builder) isFull() bool { return len(b.problems) >= maxProblems || len(b.nodes) > MaxSchemas }

func (b *builder) buildNode(doc any, at string, depth int) *node {
	n := newNode(at)
	if b.isFull() {
		return n
	}
	b.nodes = append(b.nodes, n)
	b.byPointer[at] = n
	if len(b.nodes) > MaxSchemas {
		b.problems = Problems{{"", fmt.Sprintf("holds more than %d schemas, every property and branch counted; move repeated parts to $defs", MaxSchemas)}}
		return n
	}
	if depth > MaxDepth {
		b.addProblem(at, "is nested %d schemas deep; at most %d: move the inner ones to $defs and refer to them", depth, MaxDepth)
		return n
	}
	switch v := doc.(type) {
	case bool:
		n.acceptsNone = !v
	case map[string]any:
		b.readKeywords(n, v, depth)
	default:
		b.addProblem(at, "is %s; a schema is an object, true or false", describeValue(doc))
	}
	return n
}

// newNode returns a node that accepts everything.
func newNode(at string) *node {
	n := &node{pointer: at, types: allKinds}
	n.maxLen, n.maxItems, n.maxProps = unlimited, unlimited, unlimited
	n.minContains, n.maxContains = 1, unlimited
	return n
}

// readKeywords reads the keywords in the order of their names, so that problems do
// not depend on map order.
func (b *builder) readKeywords(n *node, doc map[string]any, depth int) {
	for _, name := range sortedKeys(doc) {
		if read, known := keywords[name]; known {
			read(b, n, doc[name], appendPointer(n.pointer, name), depth)
		}
	}
	if n.contains == nil {
		n.minContains, n.maxContains = 1, unlimited
	}
	if n.ifNode == nil {
		n.thenNode, n.elseNode = nil, nil
	}
	n.indexValues()
}

func sortedKeys[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// buildList builds the schemas of an array, which must not be empty.
func (b *builder) buildList(v any, at string, depth int) []*node {
	items, ok := v.([]any)
	if !ok || len(items) == 0 {
		b.addProblem(at, "is %s; it must be a list with at least one schema", describeValue(v))
		return nil
	}
	out := make([]*node, len(items))
	for i := range items {
		out[i] = b.buildNode(items[i], appendPointer(at, strconv.Itoa(i)), depth+1)
	}
	return out
}

// buildProps builds the schemas of an object, sorted by name.
func (b *builder) buildProps(v any, at string, depth int) []prop {
	object, ok := v.(map[string]any)
	if !ok {
		b.addProblem(at, "is %s; it must be an object of schemas", describeValue(v))
		return nil
	}
	out := make([]prop, 0, len(object))
	for _, name := range sortedKeys(object) {
		if b.isFull() {
			break
		}
		out = append(out, prop{name, b.buildNode(object[name], appendPointer(at, name), depth+1)})
	}
	return out
}

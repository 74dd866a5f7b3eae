package schema

import (
	"net/url"
	"strconv"
	"strings"
)

// reference is a $ref that is resolved when the whole document is read.
type reference struct {
	from    *node
	to      string
	pointer string
}

func readRef(b *builder, n *node, v any, at string, _ int) {
	text, ok := v.(string)
	if !ok {
		b.addProblem(at, "is %s; it must be a reference such as #/$defs/<name>", describeValue(v))
		return
	}
	fragment, local := strings.CutPrefix(text, "#")
	pointer, err := url.PathUnescape(fragment)
	switch {
	case !local:
		b.addProblem(at, "refers to %s; nothing is fetched, so a reference must stay in the document: copy the schema under $defs and refer to it as #/$defs/<name>", describeValue(v))
	case err != nil || pointer != "" && pointer[0] != '/':
		b.addProblem(at, "is %s; a reference is # or # with a JSON pointer, such as #/$defs/<name>", describeValue(v))
	default:
		b.refs = append(b.refs, reference{n, pointer, at})
	}
}

// resolveRefs resolves references. A target outside known keywords is built on
// demand, and may hold further references.
func (b *builder) resolveRefs() {
	for i := 0; i < len(b.refs) && !b.isFull(); i++ {
		r := b.refs[i]
		target := b.byPointer[canonicalPointer(r.to)]
		if target == nil {
			doc, found := lookupPointer(b.doc, r.to)
			if !found {
				b.addProblem(r.pointer, "refers to #%s, which is not in the document; write it under $defs", r.to)
				continue
			}
			target = b.buildNode(doc, canonicalPointer(r.to), strings.Count(r.to, "/")/2)
		}
		r.from.ref = target
	}
}

// canonicalPointer writes a pointer as appendPointer does.
func canonicalPointer(pointer string) string {
	if !strings.Contains(pointer, "~") {
		return pointer
	}
	parts := strings.Split(pointer, "/")
	for i, p := range parts {
		parts[i] = escaper.Replace(unescaper.Replace(p))
	}
	return strings.Join(parts, "/")
}

func lookupPointer(doc any, pointer string) (any, bool) {
	if pointer == "" {
		return doc, true
	}
	for _, part := range strings.Split(pointer[1:], "/") {
		name := unescaper.Replace(part)
		switch v := doc.(type) {
		case map[string]any:
			next, found := v[name]
			if !found {
				return nil, false
			}
			doc = next
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(v) || name != strconv.Itoa(i) {
				return nil, false
			}
			doc = v[i]
		default:
			return nil, false
		}
	}
	return doc, true
}

// checkRecursion refuses references that lead back to themselves without entering a
// property or an item. Such a schema has no defined meaning, and validators loop on
// it.
func checkRecursion(nodes []*node) error {
	const entered, left = 1, 2
	state := map[*node]int{}
	var visit func(n *node) *node
	visit = func(n *node) *node {
		state[n] = entered
		var found *node
		n.visitInPlace(func(c *node) {
			if found != nil || state[c] == left {
				return
			}
			if state[c] == entered {
				found = c
				return
			}
			found = visit(c)
		})
		state[n] = left
		return found
	}
	for _, n := range nodes {
		if state[n] != 0 {
			continue
		}
		if loop := visit(n); loop != nil {
			return newProblem(loop.pointer, "refers to itself without going into a property or an item; such a schema has no meaning: put the reference below properties or items")
		}
	}
	return nil
}

// reachableNodes returns the nodes that can apply to some part of a value, the root
// first.
func reachableNodes(root *node) []*node {
	seen := map[*node]bool{root: true}
	out := []*node{root}
	for i := 0; i < len(out); i++ {
		out[i].visitChildren(func(c *node) {
			if !seen[c] {
				seen[c] = true
				out = append(out, c)
			}
		})
	}
	return out
}

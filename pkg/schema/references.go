package schema

import (
	"net/url"
	"strconv"
	"strings"
)

// reference is a $ref that waits for the whole document to be read.
type reference struct {
	from *node
	to   string
	at   string
}

func readRef(b *builder, n *node, v any, at string, _ int) {
	text, ok := v.(string)
	if !ok {
		b.fault(at, "is %s; it must be a reference such as #/$defs/<name>", told(v))
		return
	}
	fragment, local := strings.CutPrefix(text, "#")
	pointer, err := url.PathUnescape(fragment)
	switch {
	case !local:
		b.fault(at, "refers to %s; nothing is fetched, so a reference must stay in the document: copy the schema under $defs and refer to it as #/$defs/<name>", told(v))
	case err != nil || pointer != "" && pointer[0] != '/':
		b.fault(at, "is %s; a reference is # or # with a JSON pointer, such as #/$defs/<name>", told(v))
	default:
		b.refs = append(b.refs, reference{n, pointer, at})
	}
}

// resolve points references at what they name. A schema may stand where no
// keyword looks for one; it is built when it is referred to, and may refer on.
func (b *builder) resolve() {
	for i := 0; i < len(b.refs) && !b.full(); i++ {
		r := b.refs[i]
		target := b.at[canonical(r.to)]
		if target == nil {
			doc, found := lookup(b.doc, r.to)
			if !found {
				b.fault(r.at, "refers to #%s, which is not in the document; write it under $defs", r.to)
				continue
			}
			target = b.node(doc, canonical(r.to), strings.Count(r.to, "/")/2)
		}
		r.from.ref = target
	}
}

// canonical writes a pointer as below does.
func canonical(pointer string) string {
	if !strings.Contains(pointer, "~") {
		return pointer
	}
	parts := strings.Split(pointer, "/")
	for i, p := range parts {
		parts[i] = escaper.Replace(unescaper.Replace(p))
	}
	return strings.Join(parts, "/")
}

func lookup(doc any, pointer string) (any, bool) {
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

// unguarded finds references of nodes that lead back to themselves without going into a
// property or an item: what such a schema means is not defined, and a validator
// would go in circles.
func unguarded(nodes []*node) error {
	const entered, left = 1, 2
	state := map[*node]int{}
	var visit func(n *node) *node
	visit = func(n *node) *node {
		state[n] = entered
		var found *node
		n.beside(func(c *node) {
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
			return fault(loop.at, "refers to itself without going into a property or an item; such a schema says nothing: put the reference below properties or items")
		}
	}
	return nil
}

// reachable are the nodes that a value can come to, the root first.
func reachable(root *node) []*node {
	seen := map[*node]bool{root: true}
	out := []*node{root}
	for i := 0; i < len(out); i++ {
		out[i].children(func(c *node) {
			if !seen[c] {
				seen[c] = true
				out = append(out, c)
			}
		})
	}
	return out
}

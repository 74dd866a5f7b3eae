package schema

import (
	"context"
	"slices"
	"strconv"
)

// Notes returns the differences that break nothing in a mode: widenings for callers,
// and changes that no document can show, such as defaults.
func Notes(old, new Version, mode Mode) []Finding {
	var out []Finding
	for _, q := range questionsFor(mode) {
		was, is := q.schemaOf(old), q.schemaOf(new)
		if was == nil || is == nil {
			continue
		}
		if mode != Full {
			back := question{direction: q.direction, forward: !q.forward}
			_, findings := back.compareSchemas(context.Background(), was, is)
			for _, f := range findings {
				f.Severity, f.Remedy, f.Undecided = Info, "", false
				out = append(out, f)
			}
		}
		n := &noter{direction: q.direction, visited: map[[2]*node]bool{}}
		n.walkPair(was.root, is.root, "")
		for _, f := range n.out {
			written := is.moves
			if f.In == "old" {
				written = was.moves
			}
			f.Pointer = written.written(f.Pointer)
			out = append(out, f)
		}
	}
	return removeDuplicates(out)
}

// removeDuplicates drops findings that two questions share.
func removeDuplicates(list []Finding) []Finding {
	seen := map[[3]string]bool{}
	out := list[:0]
	for _, f := range list {
		key := [3]string{f.Rule, f.Path, f.Pointer}
		if !seen[key] {
			seen[key] = true
			out = append(out, f)
		}
	}
	return out
}

// noter walks through two schemas in parallel.
type noter struct {
	direction Direction
	visited   map[[2]*node]bool
	out       []Finding
}

func (n *noter) walkPair(old, new *node, path string) {
	pair := [2]*node{old, new}
	if n.visited[pair] || old.id == new.id && sameDefault(old, new) && len(n.visited) > 0 && !hasParts(old) || len(n.out) >= maxGaps {
		return
	}
	n.visited[pair] = true
	n.noteDefault(old, new, path)
	for old.ref != nil {
		old = old.ref
	}
	for new.ref != nil {
		new = new.ref
	}
	n.noteDropped(old, new, path)
	n.noteGained(old, new, path)
	for _, p := range old.props {
		if c := findProp(new.props, p.name); c != nil {
			n.walkPair(p.node, c, appendPointer(path, p.name))
		}
	}
	if old.items != nil && new.items != nil {
		n.walkPair(old.items, new.items, path+"/*")
	}
	for i := range min(len(old.prefixItems), len(new.prefixItems)) {
		n.walkPair(old.prefixItems[i], new.prefixItems[i], appendPointer(path, strconv.Itoa(i)))
	}
	for i := range min(len(old.allOf), len(new.allOf)) {
		n.walkPair(old.allOf[i], new.allOf[i], path)
	}
}

// hasParts reports whether a node has children. Their defaults may differ although
// the nodes accept the same.
func hasParts(n *node) bool {
	found := false
	n.visitChildren(func(*node) { found = true })
	return found
}

func sameDefault(a, b *node) bool {
	return a.hasDefault == b.hasDefault && (!a.hasDefault || equalValues(a.defaultValue, b.defaultValue))
}

// noteDefault notes a changed default: the same request now has another meaning.
func (n *noter) noteDefault(old, new *node, path string) {
	if sameDefault(old, new) {
		return
	}
	change, text := "changed", ""
	switch {
	case !old.hasDefault:
		change, text = "added", "the default "+showValue(new.defaultValue)+" is new"
	case !new.hasDefault:
		change, text = "removed", "the default "+showValue(old.defaultValue)+" is gone"
	default:
		text = "the default was " + showValue(old.defaultValue) + " and is " + showValue(new.defaultValue)
	}
	what := "property-"
	if path == "" {
		what = "body-"
	}
	n.addNote(Info, string(n.direction)+"-"+what+"default-value-"+change, appendPointer(new.pointer, "default"), path, text)
}

// noteDropped notes properties that an open object no longer declares: nothing
// refuses them, and no reader uses them.
func (n *noter) noteDropped(old, new *node, path string) {
	if new.additional != nil && new.additional.acceptsNone || len(new.props) == 0 && !new.types.has(kindObject) {
		return
	}
	for _, p := range old.props {
		if findProp(new.props, p.name) != nil || p.node.acceptsNone {
			continue
		}
		rule, text := "request-property-removed", " is not in the schema any more; requests may still have it, and it is ignored"
		if n.direction == Response {
			rule, text = "response-optional-property-removed", " is not in the schema any more; callers that read it find it missing"
		}
		n.addNote(Warning, rule, p.node.pointer, appendPointer(path, p.name), "the property "+strconv.Quote(p.name)+text)
	}
}

// noteGained notes new optional properties. An old open schema accepted any value
// under their names.
func (n *noter) noteGained(old, new *node, path string) {
	rule := "new-optional-request-property"
	if n.direction == Response {
		rule = "response-optional-property-added"
	}
	for _, p := range new.props {
		if findProp(old.props, p.name) == nil && !p.node.acceptsNone && !slices.Contains(new.required, p.name) && old.types.has(kindObject) {
			n.addNote(Info, rule, p.node.pointer, appendPointer(path, p.name), "the property "+strconv.Quote(p.name)+" is new")
		}
	}
}

func (n *noter) addNote(s Severity, rule, pointer, path, text string) {
	in := "new"
	if s == Warning {
		in = "old"
	}
	n.out = append(n.out, Finding{Rule: rule, Direction: n.direction, Severity: s, Pointer: pointer, In: in, Path: path, Message: text})
}

package schema

import (
	"slices"
	"strconv"
)

// Notes are the differences between two versions that break nothing in a mode:
// what was widened for callers, and what no document can show, such as defaults.
// They are for people who look at a diff.
func Notes(old, new Version, mode Mode) []Finding {
	var out []Finding
	for _, q := range questionsOf(mode) {
		was, is := q.pick(old), q.pick(new)
		if was == nil || is == nil {
			continue
		}
		if mode != Full {
			back := question{direction: q.direction, forward: !q.forward}
			_, findings := back.ask(was, is)
			for _, f := range findings {
				f.Severity, f.Remedy, f.Undecided = Info, "", false
				out = append(out, f)
			}
		}
		n := &noter{direction: q.direction, seen: map[[2]*node]bool{}}
		n.walk(was.root, is.root, "")
		out = append(out, n.out...)
	}
	return once(out)
}

// once drops what two questions found alike.
func once(list []Finding) []Finding {
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

// noter walks through two schemas side by side.
type noter struct {
	direction Direction
	seen      map[[2]*node]bool
	out       []Finding
}

func (n *noter) walk(old, new *node, path string) {
	pair := [2]*node{old, new}
	if n.seen[pair] || old.id == new.id && samePreset(old, new) && len(n.seen) > 0 && !deep(old) || len(n.out) >= maxGaps {
		return
	}
	n.seen[pair] = true
	n.preset(old, new, path)
	for old.ref != nil {
		old = old.ref
	}
	for new.ref != nil {
		new = new.ref
	}
	n.dropped(old, new, path)
	n.gained(old, new, path)
	for _, p := range old.props {
		if c := find(new.props, p.name); c != nil {
			n.walk(p.node, c, below(path, p.name))
		}
	}
	if old.items != nil && new.items != nil {
		n.walk(old.items, new.items, path+"/*")
	}
	for i := range min(len(old.prefix), len(new.prefix)) {
		n.walk(old.prefix[i], new.prefix[i], below(path, strconv.Itoa(i)))
	}
	for i := range min(len(old.allOf), len(new.allOf)) {
		n.walk(old.allOf[i], new.allOf[i], path)
	}
}

// deep tells that a node has parts, whose defaults may differ although the nodes
// accept the same.
func deep(n *node) bool {
	found := false
	n.children(func(*node) { found = true })
	return found
}

func samePreset(a, b *node) bool {
	return a.hasPreset == b.hasPreset && (!a.hasPreset || equal(a.preset, b.preset))
}

// preset notes that a default changed: the same request now means another thing.
func (n *noter) preset(old, new *node, path string) {
	if samePreset(old, new) {
		return
	}
	change, text := "changed", ""
	switch {
	case !old.hasPreset:
		change, text = "added", "the default "+show(new.preset)+" is new"
	case !new.hasPreset:
		change, text = "removed", "the default "+show(old.preset)+" is gone"
	default:
		text = "the default was " + show(old.preset) + " and is " + show(new.preset)
	}
	what := "property-"
	if path == "" {
		what = "body-"
	}
	n.note(Info, string(n.direction)+"-"+what+"default-value-"+change, below(new.at, "default"), path, text)
}

// dropped notes properties of an open object that are gone: nothing refuses them,
// and nobody reads or sends them.
func (n *noter) dropped(old, new *node, path string) {
	if new.extra != nil && new.extra.never || len(new.props) == 0 && !new.types.has(kindObject) {
		return
	}
	for _, p := range old.props {
		if find(new.props, p.name) != nil || p.node.never {
			continue
		}
		rule, text := "request-property-removed", " is not in the schema any more; requests may still have it, and it is ignored"
		if n.direction == Response {
			rule, text = "response-optional-property-removed", " is not in the schema any more; callers that read it find it missing"
		}
		n.note(Warning, rule, p.node.at, below(path, p.name), "the property "+strconv.Quote(p.name)+text)
	}
}

// gained notes properties that are new and need not be there. What an old schema
// that is open let through under the name was not checked.
func (n *noter) gained(old, new *node, path string) {
	rule := "new-optional-request-property"
	if n.direction == Response {
		rule = "response-optional-property-added"
	}
	for _, p := range new.props {
		if find(old.props, p.name) == nil && !p.node.never && !slices.Contains(new.required, p.name) && old.types.has(kindObject) {
			n.note(Info, rule, p.node.at, below(path, p.name), "the property "+strconv.Quote(p.name)+" is new")
		}
	}
}

func (n *noter) note(s Severity, rule, pointer, path, text string) {
	in := "new"
	if s == Warning {
		in = "old"
	}
	n.out = append(n.out, Finding{Rule: rule, Direction: n.direction, Severity: s, Pointer: pointer, In: in, Path: path, Message: text})
}

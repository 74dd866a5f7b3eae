package manifest

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"gati.dev/gati/pkg/admit"
)

// Lines finds the lines that the fields of an object stand at.
type Lines struct {
	root *yaml.Node
	// first is the line that the document begins at, and path leads from there to the object.
	first int
	path  string
}

// LinesOf finds the lines of a document's fields. Of text that is not YAML only the
// beginning is known.
func LinesOf(doc *admit.Document) Lines {
	out := Lines{first: doc.Line, path: doc.Path}
	var node yaml.Node
	if yaml.Unmarshal(doc.Text, &node) == nil && len(node.Content) > 0 {
		out.root = node.Content[0]
		out.first += out.root.Line - 1
	}
	return out
}

// LineOf returns the line of a field, or of the nearest that it is part of and that is
// written. Empty is the object itself.
func (l Lines) LineOf(field string) int {
	if l.root == nil {
		return l.first
	}
	base, at, line := l.first-l.root.Line, l.root, l.root.Line
	for _, step := range splitPath(l.path + "." + field) {
		key, value := childNode(at, step)
		if value == nil {
			break
		}
		at, line = value, key.Line
	}
	return base + line
}

// splitPath takes a field path apart: spec.env[1].name has four, and a key of a map
// may be in brackets as well.
func splitPath(field string) []string {
	var out []string
	for _, part := range strings.Split(field, ".") {
		name, rest, _ := strings.Cut(part, "[")
		if name != "" {
			out = append(out, name)
		}
		for rest != "" {
			var inner string
			inner, rest, _ = strings.Cut(rest, "]")
			rest = strings.TrimPrefix(rest, "[")
			out = append(out, strings.Trim(inner, `"`))
		}
	}
	return out
}

// childNode returns the node under a name or at an index of a list, and its key; nil when
// there is none.
func childNode(of *yaml.Node, step string) (key, value *yaml.Node) {
	switch of.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(of.Content); i += 2 {
			if of.Content[i].Value == step {
				return of.Content[i], of.Content[i+1]
			}
		}
	case yaml.SequenceNode:
		if n, err := strconv.Atoi(step); err == nil && n >= 0 && n < len(of.Content) {
			return of.Content[n], of.Content[n]
		}
	}
	return nil, nil
}

// Duplicate is a key that stands twice in one map.
type Duplicate struct {
	Field string
	Line  int
}

// Duplicates returns the keys of an object that are written again: kubectl takes the last
// value, and what stood before is lost. A key merged from elsewhere may be written again.
func (l Lines) Duplicates() []Duplicate {
	if l.root == nil {
		return nil
	}
	at := l.root
	for _, step := range splitPath(l.path) {
		if _, at = childNode(at, step); at == nil {
			return nil
		}
	}
	return findDuplicates(at, "", l.first-l.root.Line)
}

func findDuplicates(at *yaml.Node, path string, base int) []Duplicate {
	var out []Duplicate
	seen := map[string]bool{}
	for i, child := range at.Content {
		switch {
		case at.Kind == yaml.SequenceNode:
			out = append(out, findDuplicates(child, fmt.Sprintf("%s[%d]", path, i), base)...)
		case at.Kind == yaml.MappingNode && i%2 == 1:
			key := at.Content[i-1]
			field := strings.TrimPrefix(path+"."+key.Value, ".")
			if seen[key.Value] && key.Tag != "!!merge" {
				out = append(out, Duplicate{field, base + key.Line})
			}
			seen[key.Value] = true
			out = append(out, findDuplicates(child, field, base)...)
		}
	}
	return out
}

package lint

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"gati.dev/gati/pkg/admit"
)

// lines finds the lines that fields stand at.
type lines struct {
	root *yaml.Node
	// first is the line that the document begins at.
	first int
}

// linesOf reads where the fields of a document are. Of what is no YAML, only the
// beginning is known.
func linesOf(doc *admit.Document) lines {
	out := lines{first: doc.Line}
	var node yaml.Node
	if yaml.Unmarshal(doc.Text, &node) == nil && len(node.Content) > 0 {
		out.root = node.Content[0]
		out.first += out.root.Line - 1
	}
	return out
}

// lineOf returns the line of a field, or of the nearest that it is part of and that is
// written.
func (l lines) lineOf(field string) int {
	if l.root == nil || field == "" {
		return l.first
	}
	base, at, line := l.first-l.root.Line, l.root, l.root.Line
	for _, step := range splitPath(field) {
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

// childNode returns what stands under a name or at a place of a list, and what leads to
// it; nil when there is nothing.
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

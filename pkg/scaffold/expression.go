package scaffold

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"gati.dev/gati/pkg/schema"
)

// anyItem is the step of a path that stands for every item or property.
const anyItem = "*"

// place is a place in a document, with the changes there and below.
type place struct {
	comments []string
	below    map[string]*place
}

// newPlace orders findings by their places.
func newPlace(findings []schema.Finding) *place {
	root := &place{below: map[string]*place{}}
	for _, f := range findings {
		at := root
		for _, step := range splitPointer(f.Path) {
			if at.below[step] == nil {
				at.below[step] = &place{below: map[string]*place{}}
			}
			at = at.below[step]
		}
		at.comments = append(at.comments, commentLines(f)...)
	}
	return root
}

// splitPointer splits a JSON pointer.
func splitPointer(pointer string) []string {
	if pointer == "" {
		return nil
	}
	out := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, step := range out {
		out[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
	}
	return out
}

// expression writes the value of a place as JavaScript or TypeScript.
type expression struct {
	// containers are the schemas in which places are looked up.
	containers []any
	typeScript bool
}

// valueOf returns the value at a place. path is the JSON pointer to it.
func (e expression) valueOf(p *place, value, path string, depth int) string {
	if len(p.below) == 0 {
		return value
	}
	if item, ok := p.below[anyItem]; ok && len(p.below) == 1 {
		return e.mapEach(item, value, path+"/"+anyItem, depth)
	}
	indent := strings.Repeat("  ", depth)
	var out strings.Builder
	if depth > 1 {
		out.WriteString(value + " && ")
	}
	fmt.Fprintf(&out, "{\n%s  ...%s,\n", indent, value)
	for _, name := range slices.Sorted(maps.Keys(p.below)) {
		below := p.below[name]
		for _, line := range below.comments {
			fmt.Fprintf(&out, "%s  // %s\n", indent, line)
		}
		fmt.Fprintf(&out, "%s  %s: %s,\n", indent, propertyKey(name), e.valueOf(below, value+propertyAccess(name), path+"/"+name, depth+1))
	}
	return out.String() + indent + "}"
}

// mapEach returns the value of a place whose items or properties all change.
func (e expression) mapEach(item *place, value, path string, depth int) string {
	indent := strings.Repeat("  ", depth)
	comments := ""
	for _, line := range item.comments {
		comments += fmt.Sprintf("%s  // %s\n", indent, line)
	}
	name := fmt.Sprintf("item%d", depth)
	inner := e.valueOf(item, name, path, depth+1)
	if e.isArray(path) {
		parameter := name
		if e.typeScript {
			parameter += ": any"
		}
		return fmt.Sprintf("%s?.map((%s) => {\n%s%s  return %s;\n%s})", value, parameter, comments, indent, inner, indent)
	}
	return fmt.Sprintf("%s && Object.fromEntries(Object.entries(%s).map(([key%d, %s]) => {\n%s%s  return [key%d, %s];\n%s}))",
		value, value, depth, name, comments, indent, depth, inner, indent)
}

// isArray reports whether the container of the last step of a path is an array.
func (e expression) isArray(path string) bool {
	container := splitPointer(path)
	container = container[:len(container)-1]
	for _, root := range e.containers {
		node := lookUp(root, container)
		if _, found := node["items"]; found || hasType(node, "array") {
			return true
		}
	}
	return false
}

// lookUp follows a path through properties and items; nil where it leads nowhere.
func lookUp(root any, path []string) map[string]any {
	node := resolveSchema(root, root)
	for _, step := range path {
		var next any
		if properties, ok := node["properties"].(map[string]any); ok {
			next = properties[step]
		}
		if step == anyItem && next == nil {
			if next = node["items"]; next == nil {
				next = node["additionalProperties"]
			}
		}
		if node = resolveSchema(root, next); node == nil {
			return nil
		}
	}
	return node
}

var identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// propertyKey is a property's name in an object.
func propertyKey(name string) string {
	if identifier.MatchString(name) && name != "__proto__" {
		return name
	}
	return "[" + quoteString(name) + "]"
}

// propertyAccess reads a property.
func propertyAccess(name string) string {
	if identifier.MatchString(name) {
		return "." + name
	}
	return "[" + quoteString(name) + "]"
}

// quoteString returns a string's literal, with what cannot be printed as an escape.
func quoteString(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		return `""` // a string always has a JSON form
	}
	var escaped strings.Builder
	for _, r := range string(out) {
		if unicode.IsPrint(r) {
			escaped.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&escaped, `\u%04x`, unit)
		}
	}
	return escaped.String()
}

package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Note is one change that a document needed to be read as draft 2020-12.
type Note struct {
	// Pointer is the JSON pointer of the place, in the document as written.
	Pointer string `json:"pointer"`
	// Message describes the change.
	Message string `json:"message"`
}

func (n Note) String() string {
	if n.Pointer == "" {
		return n.Message
	}
	return n.Pointer + " " + n.Message
}

// place is one schema of a document that is an object.
type place struct {
	pointer string
	doc     map[string]any
	// base is the URI that references are relative to; resource its place.
	base     string
	resource string
}

// upgrader rewrites a document of an older draft or OpenAPI as draft 2020-12. A form
// that it leaves is refused when the document is built.
type upgrader struct {
	dialect  dialect
	root     any
	places   []place
	visited  map[string]bool
	ids      map[string]string // pointers of schemas by URI or URI#anchor
	dynamic  map[string]int    // how many schemas have a $dynamicAnchor, or a $recursiveAnchor
	moves    moves
	notes    []Note
	problems Problems
}

// upgradeDocument rewrites a copy of a document as draft 2020-12. Notes list the changes,
// and moves map the places that changed.
func upgradeDocument(doc any) (any, []Note, moves, error) {
	if !needsUpgrade(doc, 0) {
		return doc, nil, moves{}, nil
	}
	root, ok := copyDocument(doc).(map[string]any)
	if !ok {
		return doc, nil, moves{}, nil
	}
	u := &upgrader{root: root, visited: map[string]bool{}, ids: map[string]string{}, dynamic: map[string]int{}, moves: newMoves()}
	u.dialect, _ = findDialect(root["$schema"])
	u.collect(root, "", "", "")
	u.dialect = dialectOf(root, u.places)
	refs := u.collectReferences()
	slices.SortFunc(u.places, func(a, b place) int { return strings.Compare(a.pointer, b.pointer) })
	for _, p := range u.places {
		u.upgradePlace(p)
	}
	for _, r := range refs {
		u.rewriteReference(r)
	}
	u.nameDialect(root)
	if len(u.problems) > 0 {
		return nil, nil, moves{}, u.problems
	}
	return root, u.notes, u.moves, nil
}

func (u *upgrader) addNote(at, format string, args ...any) {
	u.notes = append(u.notes, Note{at, fmt.Sprintf(format, args...)})
}

func (u *upgrader) addProblem(at, format string, args ...any) {
	if len(u.problems) < maxProblems {
		u.problems = append(u.problems, Problem{at, fmt.Sprintf(format, args...)})
	}
}

// needsUpgrade reports whether a document may hold what draft 2020-12 lacks. It looks
// at every object, values of keywords included.
func needsUpgrade(doc any, depth int) bool {
	switch v := doc.(type) {
	case []any:
		return slices.ContainsFunc(v, func(c any) bool { return needsUpgrade(c, depth+1) })
	case map[string]any:
		for name, c := range v {
			if isOlderForm(name, c, depth) || needsUpgrade(c, depth+1) {
				return true
			}
		}
	}
	return false
}

func isOlderForm(name string, v any, depth int) bool {
	switch name {
	case "$anchor", "$dynamicRef", "$recursiveRef", "$dynamicAnchor", "$recursiveAnchor", "dependencies", "nullable":
		return true
	case "$schema":
		return v != draft2020
	case "$id", "id":
		return depth > 0
	case "$ref":
		text, _ := v.(string)
		return text != "#" && !strings.HasPrefix(text, "#/")
	case "items":
		_, list := v.([]any)
		return list
	case "exclusiveMinimum", "exclusiveMaximum":
		_, is := v.(bool)
		return is
	}
	return false
}

func copyDocument(doc any) any {
	switch v := doc.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = copyDocument(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name := range v {
			out[name] = copyDocument(v[name])
		}
		return out
	}
	return doc
}

// nameDialect replaces $schema.
func (u *upgrader) nameDialect(root map[string]any) {
	if d, known := findDialect(root["$schema"]); known && root["$schema"] != draft2020 {
		root["$schema"] = draft2020
		u.notes = slices.Insert(u.notes, 0, Note{"/$schema", "is read as " + d.name})
	}
}

// moves are the places that an upgrade moves, both ways.
type moves struct{ forward, back map[string]string }

func newMoves() moves { return moves{map[string]string{}, map[string]string{}} }

// rename notes that a place has another pointer below its parent. Parents are renamed
// before their children.
func (m moves) rename(parent, from, to string) {
	old, now := parent+from, m.upgraded(parent)+to
	m.forward[old], m.back[now] = now, old
}

// upgraded returns the pointer, in the upgraded document, of a place as written.
func (m moves) upgraded(pointer string) string { return longestPrefix(m.forward, pointer) }

// written returns the pointer, in the document as written, of an upgraded place.
func (m moves) written(pointer string) string { return longestPrefix(m.back, pointer) }

// writtenProblems gives problems the pointers of the document as written.
func (m moves) writtenProblems(err error) error {
	var problems Problems
	if !errors.As(err, &problems) {
		return err
	}
	out := slices.Clone(problems)
	for i := range out {
		out[i].Pointer = m.written(out[i].Pointer)
	}
	return out
}

func longestPrefix(to map[string]string, pointer string) string {
	for end := len(pointer); len(to) > 0 && end > 0; end = strings.LastIndexByte(pointer[:end], '/') {
		if now, found := to[pointer[:end]]; found {
			return now + pointer[end:]
		}
	}
	return pointer
}

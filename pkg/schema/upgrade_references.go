package schema

import (
	"net/url"
	"strconv"
	"strings"
)

// The keywords below which a document has schemas: one, a list, or one for each name.
var (
	oneSchema   = []string{"items", "additionalItems", "contains", "additionalProperties", "propertyNames", "not", "if", "then", "else", "unevaluatedItems", "unevaluatedProperties", "contentSchema"}
	listSchemas = []string{"allOf", "anyOf", "oneOf", "prefixItems", "items"}
	mapSchemas  = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
)

// collect notes the schemas at and below a place, with their names.
func (u *upgrader) collect(doc any, at, base, resource string) {
	object, ok := doc.(map[string]any)
	if !ok || u.visited[at] {
		return
	}
	u.visited[at] = true
	base, resource = u.nameSchema(object, at, base, resource)
	u.places = append(u.places, place{at, object, base, resource})
	for _, name := range oneSchema {
		u.collect(object[name], appendPointer(at, name), base, resource)
	}
	for _, name := range listSchemas {
		list, _ := object[name].([]any)
		for i := range list {
			u.collect(list[i], appendPointer(appendPointer(at, name), strconv.Itoa(i)), base, resource)
		}
	}
	for _, name := range mapSchemas {
		named, _ := object[name].(map[string]any)
		for _, key := range sortedKeys(named) {
			u.collect(named[key], appendPointer(appendPointer(at, name), key), base, resource)
		}
	}
}

// nameSchema notes the names of a schema: $id, and anchors below it.
func (u *upgrader) nameSchema(doc map[string]any, at, base, resource string) (string, string) {
	id, _ := doc[u.idKeyword()].(string)
	if _, refers := doc["$ref"]; refers && u.dialect.ignoresBesideRef {
		id = ""
	}
	if at == "" {
		u.ids[""] = ""
	}
	switch full, ok := resolveURI(base, id); {
	case !ok || id == "":
	case strings.HasPrefix(id, "#"):
		u.ids[base+id] = at
	default:
		base, resource = strings.TrimSuffix(full, "#"), at
		u.ids[base] = at
	}
	for _, name := range []string{"$anchor", "$dynamicAnchor"} {
		if anchor, is := doc[name].(string); is {
			u.ids[base+"#"+anchor] = at
		}
	}
	if anchor, is := doc["$dynamicAnchor"].(string); is {
		u.dynamic["#"+anchor]++
	}
	if doc["$recursiveAnchor"] == true {
		u.dynamic["#"]++
	}
	return base, resource
}

// idKeyword is the keyword that names a schema.
func (u *upgrader) idKeyword() string {
	if u.dialect.draft == 4 && !u.dialect.openAPI30 {
		return "id"
	}
	return "$id"
}

func resolveURI(base, ref string) (string, bool) {
	b, err := url.Parse(base)
	if err != nil {
		return "", false
	}
	r, err := url.Parse(ref)
	if err != nil {
		return "", false
	}
	return b.ResolveReference(r).String(), true
}

// resolvedReference is a reference whose place in the document is known.
type resolvedReference struct {
	place  place
	target string
}

// collectReferences resolves references, and collects the schemas that only a
// reference leads to.
func (u *upgrader) collectReferences() []resolvedReference {
	var out []resolvedReference
	for i := 0; i < len(u.places); i++ {
		p := u.places[i]
		u.replaceDynamic(p)
		text, _ := p.doc["$ref"].(string)
		target, found := u.resolve(p, text)
		if !found {
			continue
		}
		out = append(out, resolvedReference{p, target})
		doc, _ := lookupPointer(u.root, target)
		u.collect(doc, target, p.base, p.resource)
	}
	return out
}

// replaceDynamic reads a dynamic reference as $ref where the document has one target
// at most: it then means the same.
func (u *upgrader) replaceDynamic(p place) {
	for _, name := range []string{"$dynamicRef", "$recursiveRef"} {
		text, is := p.doc[name].(string)
		_, taken := p.doc["$ref"]
		_, fragment, _ := strings.Cut(text, "#")
		if !is || taken || u.dynamic["#"+fragment] > 1 {
			continue
		}
		p.doc["$ref"] = text
		delete(p.doc, name)
		u.addNote(appendPointer(p.pointer, name), "is read as $ref: the document has one schema that it can mean")
	}
}

// resolve returns the place in the document that a reference means.
func (u *upgrader) resolve(p place, text string) (string, bool) {
	full, ok := resolveURI(p.base, text)
	if text == "" || !ok {
		return "", false
	}
	uri, fragment, _ := strings.Cut(full, "#")
	resource, known := u.ids[uri]
	if uri == p.base {
		resource, known = p.resource, true
	}
	pointer, err := url.PathUnescape(fragment)
	if err != nil || !known {
		return "", false
	}
	if fragment != "" && fragment[0] != '/' {
		at, found := u.ids[uri+"#"+fragment]
		return at, found
	}
	pointer = resource + canonicalPointer(pointer)
	_, found := lookupPointer(u.root, pointer)
	return pointer, found
}

// rewriteReference writes a reference as a pointer into the upgraded document.
func (u *upgrader) rewriteReference(r resolvedReference) {
	old := r.place.doc["$ref"]
	now := "#" + (&url.URL{Fragment: u.moves.upgraded(r.target)}).EscapedFragment()
	text, _ := old.(string)
	if plain, err := url.PathUnescape(text); err == nil && plain == "#"+u.moves.upgraded(r.target) {
		return
	}
	r.place.doc["$ref"] = now
	u.addNote(appendPointer(r.place.pointer, "$ref"), "is read as %s", now)
}

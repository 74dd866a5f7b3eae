package schema

import (
	"slices"
	"strings"
)

var exclusiveBounds = []string{"exclusiveMinimum", "exclusiveMaximum"}

// upgradePlace upgrades the keywords of one schema.
func (u *upgrader) upgradePlace(p place) {
	if !u.checkDraft(p) {
		return
	}
	u.dropBesideRef(p)
	u.upgradeNames(p)
	u.upgradeItems(p)
	u.upgradeDependencies(p)
	u.upgradeBounds(p)
	u.upgradeNullable(p)
}

// checkDraft refuses keywords that the named draft does not have: its validators
// ignore them, and the author did not mean that.
func (u *upgrader) checkDraft(p place) bool {
	fine := true
	for _, name := range sortedKeys(p.doc) {
		if first := firstDrafts[name]; u.dialect.draft != 0 && first > u.dialect.draft {
			u.addProblem(appendPointer(p.pointer, name), "is not a keyword of %s, which $schema names; set $schema to %s, or leave it out", u.dialect.name, draft2020)
			fine = false
		}
	}
	_, unevaluated := p.doc["unevaluatedItems"]
	_, contains := p.doc["contains"]
	if u.dialect.draft == 2019 && unevaluated && contains {
		u.addProblem(appendPointer(p.pointer, "unevaluatedItems"), "means something else beside contains in draft 2020-12; replace it with items, or set $schema to %s", draft2020)
		fine = false
	}
	return fine
}

// besideRef are the keywords that stay beside $ref: they constrain nothing.
var besideRef = []string{"$ref", "$schema", "$id", "id", "$defs", "definitions", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"}

func (u *upgrader) dropBesideRef(p place) {
	if _, refers := p.doc["$ref"].(string); !refers || !u.dialect.ignoresBesideRef {
		return
	}
	for _, name := range sortedKeys(p.doc) {
		if _, constrains := keywords[name]; (constrains || name == "nullable") && !slices.Contains(besideRef, name) {
			delete(p.doc, name)
			u.addNote(appendPointer(p.pointer, name), "has no effect beside $ref in %s; write allOf with the reference if it is meant", u.dialect.name)
		}
	}
}

// upgradeNames removes the names of schemas: references are pointers then.
func (u *upgrader) upgradeNames(p place) {
	names := []string{"$anchor", "$dynamicAnchor"}
	if u.idKeyword() == "id" || p.pointer != "" {
		names = append(names, u.idKeyword())
	}
	for _, name := range names {
		if text, is := p.doc[name].(string); is {
			delete(p.doc, name)
			u.addNote(appendPointer(p.pointer, name), "names the schema %s; references to it are read as JSON pointers", describeValue(text))
		}
	}
	if _, is := p.doc["$recursiveAnchor"].(bool); is {
		delete(p.doc, "$recursiveAnchor")
	}
	if text, is := p.doc["$id"].(string); is && strings.HasPrefix(text, "#") {
		delete(p.doc, "$id")
	}
}

func (u *upgrader) upgradeItems(p place) {
	list, is := p.doc["items"].([]any)
	if _, both := p.doc["prefixItems"]; !is || both || u.dialect.draft == 2020 {
		return
	}
	u.addNote(appendPointer(p.pointer, "items"), "is a list, and read as prefixItems")
	delete(p.doc, "items")
	u.moves.rename(p.pointer, "/items", "/prefixItems")
	if len(list) > 0 {
		p.doc["prefixItems"] = list
	}
	if rest, given := p.doc["additionalItems"]; given {
		p.doc["items"] = rest
		delete(p.doc, "additionalItems")
		u.moves.rename(p.pointer, "/additionalItems", "/items")
		u.addNote(appendPointer(p.pointer, "additionalItems"), "is read as items")
	}
}

func (u *upgrader) upgradeDependencies(p place) {
	all, is := p.doc["dependencies"].(map[string]any)
	_, required := p.doc["dependentRequired"]
	_, schemas := p.doc["dependentSchemas"]
	if !is || required || schemas || u.dialect.draft == 2020 {
		return
	}
	delete(p.doc, "dependencies")
	for _, name := range sortedKeys(all) {
		to := "dependentSchemas"
		if _, list := all[name].([]any); list {
			to = "dependentRequired"
		} else if text, one := all[name].(string); one {
			to, all[name] = "dependentRequired", []any{text}
		}
		if p.doc[to] == nil {
			p.doc[to] = map[string]any{}
		}
		p.doc[to].(map[string]any)[name] = all[name]
		token := appendPointer("", name)
		u.moves.rename(p.pointer, "/dependencies"+token, "/"+to+token)
		u.addNote(appendPointer(p.pointer, "dependencies")+token, "is read as %s", to)
	}
}

// upgradeBounds reads a boolean exclusive bound, which belongs to minimum or maximum.
func (u *upgrader) upgradeBounds(p place) {
	for _, name := range exclusiveBounds {
		exclusive, is := p.doc[name].(bool)
		if !is || u.dialect.draft == 2020 {
			continue // zod-to-json-schema writes it in 2019-09 too
		}
		at := appendPointer(p.pointer, name)
		bound := map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}[name]
		limit, given := p.doc[bound]
		switch {
		case !exclusive:
			delete(p.doc, name)
			u.addNote(at, "is false, and has no effect")
		case !given:
			u.addProblem(at, "is true without %s; write the number itself: %s: 0", bound, name)
		default:
			p.doc[name] = limit
			delete(p.doc, bound)
			u.addNote(at, "is true, and read as the number of %s", bound)
		}
	}
}

// upgradeNullable reads OpenAPI's keyword, which adds null to a given type.
func (u *upgrader) upgradeNullable(p place) {
	yes, is := p.doc["nullable"].(bool)
	if !is {
		return // the reader refuses it
	}
	at := appendPointer(p.pointer, "nullable")
	types, typed := p.doc["type"].([]any)
	if text, one := p.doc["type"].(string); one {
		types, typed = []any{text}, true
	}
	delete(p.doc, "nullable")
	switch {
	case !yes:
	case !typed:
		u.addNote(at, `has no effect without type; write anyOf with {"type":"null"} if null is meant`)
	case !slices.Contains(types, "null"):
		p.doc["type"] = append(slices.Clone(types), "null")
		u.addNote(at, `is read as type with "null"`)
	}
}

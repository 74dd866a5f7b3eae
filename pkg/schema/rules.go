package schema

import "strings"

// rule is the id of a finding: the direction, whether it is the body or a part of
// it, and what changed from the old version to the new one. The ids are oasdiff's
// where it has one.
func (q question) rule(g gap) string {
	what := q.change(g)
	if named, whole := strings.CutPrefix(what, "="); whole {
		return named
	}
	if g.path == "" || g.keyword == "additionalProperties" && g.path == "/*" {
		return string(q.direction) + "-body-" + what
	}
	return string(q.direction) + "-property-" + what
}

// change says what became of a keyword. A leading = marks ids that name
// everything themselves.
func (q question) change(g gap) string {
	switch g.keyword {
	case exhausted:
		return "schema-too-complex"
	case "false":
		return q.either("schema-became-false", "schema-became-not-false")
	case "type":
		return q.typeChange(g)
	case "enum":
		return q.enumChange(g)
	case "required":
		return q.requiredChange(g)
	case "properties":
		return "schema-changed"
	case "additionalProperties":
		return q.extraChange(g)
	}
	if name, counted := bounded[g.keyword]; counted {
		return name + q.boundChange(g)
	}
	if name, plain := added[g.keyword]; plain {
		return name + q.presence(g)
	}
	return kebab(g.keyword) + q.either("-narrowed", "-widened")
}

// bounded are keywords with a number that moves.
var bounded = map[string]string{
	"minimum": "min", "maximum": "max", "exclusiveMinimum": "exclusive-min", "exclusiveMaximum": "exclusive-max",
	"minLength": "min-length", "maxLength": "max-length", "minItems": "min-items", "maxItems": "max-items",
	"minProperties": "min-properties", "maxProperties": "max-properties", "minContains": "min-contains", "maxContains": "max-contains",
	"multipleOf": "multiple-of", "uniqueItems": "unique-items",
}

// added are keywords that are there or not.
var added = map[string]string{
	"pattern": "pattern", "patternProperties": "pattern-property", "propertyNames": "property-names", "contains": "contains",
	"dependentRequired": "dependent-required", "dependentSchemas": "dependent-schema", "anyOf": "any-of", "oneOf": "one-of", "not": "not",
	"then": "then", "else": "else", "unevaluatedProperties": "unevaluated-properties", "unevaluatedItems": "unevaluated-items",
	"prefixItems": "prefix-items", "items": "items", "format": "format",
}

// either picks by which side the keyword stands on: the new one, which gained it,
// or the old one, which loses it.
func (q question) either(gained, lost string) string {
	if q.widens() {
		return gained
	}
	return lost
}

// boundChange tells whether a bound was set or moved.
func (q question) boundChange(g gap) string {
	mine, other, both := g.boundsOf()
	if !both {
		return q.either("-set", "-unset")
	}
	if g.keyword == "multipleOf" {
		return "-changed"
	}
	old, now := other, mine
	if !q.widens() {
		old, now = mine, other
	}
	if now.Cmp(old) > 0 {
		return "-increased"
	}
	return "-decreased"
}

// presence tells whether a keyword was added, changed or removed.
func (q question) presence(g gap) string {
	change := q.either("-added", "-removed")
	switch g.keyword {
	case "anyOf", "oneOf":
		// A branch that is gone narrows, one more widens.
		return q.either("-removed", "-added")
	case "format", "pattern", "dependentRequired":
		if g.stated() {
			return "-changed"
		}
	}
	return change
}

func (q question) typeChange(g gap) string {
	left := g.all &^ g.kinds
	switch {
	case left == 0:
		return "type-changed"
	case g.kinds == 1<<kindNull:
		return q.either("became-not-nullable", "became-nullable")
	case g.kinds == 1<<kindFraction && left.has(kindInteger):
		return q.either("type-specialized", "type-generalized")
	}
	return q.either("list-of-types-narrowed", "list-of-types-widened")
}

func (q question) enumChange(g gap) string {
	known := g.a != nil && g.a.finite
	if g.b.isConst {
		if known {
			return "const-changed"
		}
		return q.either("const-added", "const-removed")
	}
	if known {
		return q.either("enum-value-removed", "enum-value-added")
	}
	return q.either("became-enum", "became-not-enum")
}

// requiredChange tells a property that must now be there from one that need not
// be any more.
func (q question) requiredChange(g gap) string {
	there := g.mentions(g.name)
	if !q.widens() {
		if there {
			return "=" + string(q.direction) + "-property-became-optional"
		}
		if q.direction == Request {
			return "=request-property-removed"
		}
		return "=response-required-property-removed"
	}
	suffix := ""
	if c := find(g.b.props, g.name); c != nil && c.hasPreset {
		suffix = "-with-default"
	}
	if there {
		return "=" + string(q.direction) + "-property-became-required" + suffix
	}
	if q.direction == Response {
		return "=response-required-property-added"
	}
	return "=new-required-request-property" + suffix
}

// extraChange tells a property that is no longer let through, or was not before,
// from a change of what is said of all others.
func (q question) extraChange(g gap) string {
	if g.name != "" {
		return "=" + string(q.direction) + q.either("-property-removed", q.optional(g)+"-property-added")
	}
	return "additional-properties" + q.either("-narrowed", "-widened")
}

// optional tells whether the side that has a property needs it.
func (q question) optional(g gap) string {
	if g.a != nil && g.a.any(func(a atom) bool { return a.op == opProp && a.text == g.name }) {
		return "-required"
	}
	return "-optional"
}

// kebab writes a keyword as ids are written.
func kebab(keyword string) string {
	var out strings.Builder
	for _, r := range keyword {
		if r >= 'A' && r <= 'Z' {
			out.WriteByte('-')
			r += 'a' - 'A'
		}
		out.WriteRune(r)
	}
	return out.String()
}

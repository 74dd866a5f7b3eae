package schema

import "strings"

// ruleID returns the id of a finding: direction, body or property, and the change from
// old to new. The ids are oasdiff's where it has one.
func (q question) ruleID(g gap) string {
	what := q.changeName(g)
	if named, whole := strings.CutPrefix(what, "="); whole {
		return named
	}
	if g.path == "" || g.keyword == "additionalProperties" && g.path == "/*" {
		return string(q.direction) + "-body-" + what
	}
	return string(q.direction) + "-property-" + what
}

// changeName names the change of a keyword. A leading = marks a complete id.
func (q question) changeName(g gap) string {
	switch g.keyword {
	case keywordLimit:
		return "schema-too-complex"
	case "false":
		return q.byDirection("schema-became-false", "schema-became-not-false")
	case "type":
		return q.typeChange(g)
	case "enum":
		return q.enumChange(g)
	case "required":
		return q.requiredChange(g)
	case "properties":
		return "schema-changed"
	case "additionalProperties":
		return q.additionalChange(g)
	}
	if name, counted := boundNames[g.keyword]; counted {
		return name + q.boundChange(g)
	}
	if name, plain := presenceNames[g.keyword]; plain {
		return name + q.presenceChange(g)
	}
	return kebabCase(g.keyword) + q.byDirection("-narrowed", "-widened")
}

// boundNames are keywords with a number that can increase or decrease.
var boundNames = map[string]string{
	"minimum": "min", "maximum": "max", "exclusiveMinimum": "exclusive-min", "exclusiveMaximum": "exclusive-max",
	"minLength": "min-length", "maxLength": "max-length", "minItems": "min-items", "maxItems": "max-items",
	"minProperties": "min-properties", "maxProperties": "max-properties", "minContains": "min-contains", "maxContains": "max-contains",
	"multipleOf": "multiple-of", "uniqueItems": "unique-items",
}

// presenceNames are keywords that are added or removed.
var presenceNames = map[string]string{
	"pattern": "pattern", "patternProperties": "pattern-property", "propertyNames": "property-names", "contains": "contains",
	"dependentRequired": "dependent-required", "dependentSchemas": "dependent-schema", "anyOf": "any-of", "oneOf": "one-of", "not": "not",
	"then": "then", "else": "else", "unevaluatedProperties": "unevaluated-properties", "unevaluatedItems": "unevaluated-items",
	"prefixItems": "prefix-items", "items": "items", "format": "format",
}

// byDirection selects by the version that has the keyword: the new one gained it, or
// the old one loses it.
func (q question) byDirection(gained, lost string) string {
	if q.isWidening() {
		return gained
	}
	return lost
}

// boundChange names how a bound was set or moved.
func (q question) boundChange(g gap) string {
	mine, other, both := g.numericBounds()
	if !both {
		return q.byDirection("-set", "-unset")
	}
	if g.keyword == "multipleOf" {
		return "-changed"
	}
	old, now := other, mine
	if !q.isWidening() {
		old, now = mine, other
	}
	if now.Cmp(old) > 0 {
		return "-increased"
	}
	return "-decreased"
}

// presenceChange names whether a keyword was added, changed or removed.
func (q question) presenceChange(g gap) string {
	change := q.byDirection("-added", "-removed")
	switch g.keyword {
	case "anyOf", "oneOf":
		// A branch that is gone narrows, one more widens.
		return q.byDirection("-removed", "-added")
	case "format", "pattern", "dependentRequired":
		if g.isStatedByA() {
			return "-changed"
		}
	}
	return change
}

func (q question) typeChange(g gap) string {
	left := g.acceptedKinds &^ g.refusedKinds
	switch {
	case left == 0:
		return "type-changed"
	case g.refusedKinds == 1<<kindNull:
		return q.byDirection("became-not-nullable", "became-nullable")
	case g.refusedKinds == 1<<kindFraction && left.has(kindInteger):
		return q.byDirection("type-specialized", "type-generalized")
	}
	return q.byDirection("list-of-types-narrowed", "list-of-types-widened")
}

func (q question) enumChange(g gap) string {
	known := g.a != nil && g.a.finite
	if g.b.isConst {
		if known {
			return "const-changed"
		}
		return q.byDirection("const-added", "const-removed")
	}
	if known {
		return q.byDirection("enum-value-removed", "enum-value-added")
	}
	return q.byDirection("became-enum", "became-not-enum")
}

// requiredChange separates a property that became required from one that became
// optional.
func (q question) requiredChange(g gap) string {
	there := g.declaresName(g.name)
	if !q.isWidening() {
		if there {
			return "=" + string(q.direction) + "-property-became-optional"
		}
		if q.direction == Request {
			return "=request-property-removed"
		}
		return "=response-required-property-removed"
	}
	suffix := ""
	if c := findProp(g.b.props, g.name); c != nil && c.hasDefault {
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

// additionalChange separates one property that is refused, or was, from a change for
// all undeclared ones.
func (q question) additionalChange(g gap) string {
	if g.name != "" {
		return "=" + string(q.direction) + q.byDirection("-property-removed", q.requiredOrOptional(g)+"-property-added")
	}
	return "additional-properties" + q.byDirection("-narrowed", "-widened")
}

// requiredOrOptional names whether the version that declares a property requires it.
func (q question) requiredOrOptional(g gap) string {
	if g.a != nil && g.a.hasAtom(func(a atom) bool { return a.op == opProp && a.text == g.name }) {
		return "-required"
	}
	return "-optional"
}

func kebabCase(keyword string) string {
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

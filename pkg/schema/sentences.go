package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// describeGap describes what one version demands and what the other allows.
func (q question) describeGap(g gap) string {
	if g.keyword == keywordLimit {
		return "the two schemas are too complex to be compared within bounds; split them, or move repeated parts to $defs"
	}
	who, other := "the old schema", "the new one"
	if q.isWidening() {
		who, other = "the new schema", "the old one"
	}
	text, allows := g.describeDemand()
	if allows == "" {
		allows = "did not"
		if !q.isWidening() {
			allows = "does not"
		}
		return fmt.Sprintf("%s %s; %s %s", who, text, other, allows)
	}
	return fmt.Sprintf("%s %s; %s %s", who, text, other, allows)
}

// describeDemand returns what b demands of a value and, if that is short, what a allows.
func (g gap) describeDemand() (text, allows string) {
	switch g.keyword {
	case "false":
		return "accepts nothing here", "accepts " + (g.acceptedKinds | g.refusedKinds).String()
	case "type":
		return "requires " + g.b.types.String(), "accepts " + (g.acceptedKinds | g.refusedKinds).String()
	case "enum":
		return g.describeValues()
	case "required":
		return "requires the property " + strconv.Quote(g.name), ""
	case "additionalProperties":
		if g.name != "" {
			return "has no property " + strconv.Quote(g.name) + " and refuses those it does not name", "has it"
		}
		return "refuses some properties that it does not name", "accepts them"
	case "format", "pattern":
		return g.describeText()
	}
	if mine := g.b.numberOf(g.keyword); mine != nil {
		text = fmt.Sprintf("has %s %s", g.keyword, formatDecimal(mine))
		if _, other, both := g.numericBounds(); both {
			return text, "has " + formatDecimal(other)
		}
		return text, "has none"
	}
	return g.describeOther()
}

func (g gap) describeValues() (text, allows string) {
	text = "requires one of " + showValues(g.b.enum)
	if g.a == nil || !g.a.finite {
		return text, "accepts others"
	}
	var missing []any
	for _, v := range g.a.values {
		if !g.b.hasValue(nil, v) {
			missing = append(missing, v)
		}
	}
	return text, "also has " + showValues(missing)
}

func (g gap) describeText() (text, allows string) {
	mine, want := g.b.format, opFormat
	if g.keyword == "pattern" {
		mine, want = g.b.pattern.text, opPattern
	}
	text = fmt.Sprintf("has %s %s", g.keyword, truncateText(quoteText(mine)))
	var others []string
	for _, a := range g.a.atoms {
		switch {
		case a.op != want:
		case want == opPattern:
			others = append(others, truncateText(quoteText(a.pattern.text)))
		default:
			others = append(others, truncateText(quoteText(a.text)))
		}
	}
	if len(others) == 0 {
		return text, "has none"
	}
	return text, "has " + strings.Join(others, " and ")
}

// describeOther describes keywords whose schemas are too long to show.
func (g gap) describeOther() (text, allows string) {
	switch g.keyword {
	case "uniqueItems":
		return "requires items that all differ", ""
	case "contains":
		return "requires an item that passes contains", ""
	case "anyOf", "oneOf":
		return g.describeBranches()
	case "not":
		return "refuses what matches not", "accepts some of it"
	case "dependentRequired":
		return "requires more when " + strconv.Quote(g.name) + " is there", ""
	case "patternProperties":
		return "constrains properties that match " + truncateText(quoteText(g.name)), ""
	case "propertyNames":
		return "refuses some names of properties", "accepts them"
	case "unevaluatedProperties", "unevaluatedItems":
		return "refuses some unevaluated parts", "accepts it"
	}
	return "requires more by " + g.keyword, ""
}

// describeBranches names the values that no branch has, if they are few.
func (g gap) describeBranches() (text, allows string) {
	text, allows = "requires one of its anyOf branches to pass", "accepts documents that pass none of them"
	if g.keyword == "oneOf" {
		text, allows = "requires exactly one of its oneOf branches to pass", "accepts documents that pass none or several of them"
	}
	if g.isVariantRemoved {
		return "has no branch for it in " + g.keyword, "accepts it"
	}
	if g.a != nil && g.a.finite && len(g.a.values) > 0 {
		allows = "accepts " + showValues(g.a.values)
	}
	return text, allows
}

// remedyFor returns what keeps the callers working.
func (q question) remedyFor(g gap) string {
	if !g.hasWitness && g.undecided {
		return "keep the old form, or cover the two versions with transformers"
	}
	const cover = ", or cover the two versions with transformers"
	switch {
	case g.keyword == "required" && q.isWidening():
		return fmt.Sprintf("leave %s optional (zod .optional(), TypeBox Type.Optional, ? in TypeScript, not in required in JSON Schema) and let the handler supply a value", strconv.Quote(g.name)) + cover
	case g.keyword == "required":
		return fmt.Sprintf("keep %s required", strconv.Quote(g.name)) + cover
	case g.keyword == "additionalProperties" && g.name != "" && q.isWidening():
		return fmt.Sprintf("keep %s, or allow other properties", strconv.Quote(g.name)) + cover
	case g.keyword == "additionalProperties" && g.name != "":
		return fmt.Sprintf("callers refuse what they do not know: leave %s out, or open the old object first (z.looseObject in zod 4, additionalProperties: true in TypeBox and JSON Schema)", strconv.Quote(g.name)) + cover
	case q.isWidening():
		return "accept at least what was accepted before" + cover
	}
	return "return no more than was returned before" + cover
}

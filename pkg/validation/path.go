package validation

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"gati.dev/gati/pkg/lazyregexp"
)

var (
	pathPattern       = lazyregexp.New(`^/((` + segmentPattern + `)(/(` + segmentPattern + `))*(/([*])?)?|[*])?$`)
	dotSegmentPattern = lazyregexp.New(`(^|/)[.][.]?(/|$)`)
	badEscapePattern  = lazyregexp.New(`%([^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$|2[fF])`)
)

const segmentPattern = `[A-Za-z0-9._~!$&()+,;=@%-]+|:[A-Za-z_][A-Za-z0-9_]*|\[[A-Za-z_][A-Za-z0-9_]*\]`

// validatePath rejects text that cannot be served as a URL path.
func validatePath(p *field.Path, text string) field.ErrorList {
	if text == "" {
		return requiredValue(p, "name the URL path that the handler serves, such as /users/:id")
	}
	switch {
	case !strings.HasPrefix(text, "/"):
		return invalidValue(p, text, "must start with a slash, such as /users/:id")
	case !pathPattern.MatchString(text):
		return invalidValue(p, text, "each segment must be plain text, a parameter (:name or [name]) or, last of all, *; empty segments, queries and fragments are not part of a path")
	}
	return validateSegments(p, text)
}

// validateSegments rejects segments that clients and gateways rewrite, and
// parameters with the same name. CEL would need a loop over the segments, which its
// budget does not allow.
func validateSegments(p *field.Path, text string) field.ErrorList {
	var errs field.ErrorList
	if dotSegmentPattern.MatchString(text) {
		errs = append(errs, field.Invalid(p, text, "must not have . or .. as a segment: clients resolve them before they ask"))
	}
	if badEscapePattern.MatchString(text) {
		errs = append(errs, field.Invalid(p, text, "must have two hexadecimal digits after each %, and no escaped slash"))
	}
	seen := map[string]bool{}
	for _, s := range strings.Split(text[1:], "/") {
		name := parameterName(s)
		if name != "" && seen[name] {
			errs = append(errs, field.Invalid(p, text, "names the parameter "+name+" twice; give each its own name"))
		}
		seen[name] = true
	}
	return errs
}

// parameterName returns the name of a segment's parameter, if it is one.
func parameterName(s string) string {
	switch {
	case strings.HasPrefix(s, ":"):
		return s[1:]
	case strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]"):
		return s[1 : len(s)-1]
	}
	return ""
}

// hasParameters reports whether a segment of the path is a parameter.
func hasParameters(text string) bool {
	for _, s := range strings.Split(text, "/") {
		if parameterName(s) != "" {
			return true
		}
	}
	return false
}

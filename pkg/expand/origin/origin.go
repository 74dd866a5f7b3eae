package origin

import (
	"cmp"
	"regexp"
	"strings"
)

// rule maps the fields of a child to one of its parent.
type rule struct {
	// child is a prefix of the child's path. Indices are left out: the children
	// have one container each, and their lists begin with our items.
	child string
	// parent is the parent's field.
	parent string
	// keepRest appends the rest of the child's path to the parent's field.
	keepRest bool
}

// ForField returns the parent's field, such as spec.resources.limits, for the field
// of a child. kind is the child's, such as Deployment; parent is GatiHandler or
// GatiModule. An empty path is the child as a whole.
func ForField(parent, kind, path string) string {
	path = withoutIndices(path)
	if rest, ok := strings.CutPrefix(path, "spec.template."); ok && kind == "Deployment" {
		return applyRules(podRules, rest, "spec.pod")
	}
	if kind == "Pod" {
		return applyRules(podRules, path, "spec.pod")
	}
	if kind == "ConfigMap" && parent == "GatiModule" && !strings.HasPrefix(path, "metadata") {
		return "spec.config"
	}
	return applyRules(rules[kind], path, cmp.Or(wholeChildFields[kind], "spec"))
}

// applyRules returns the parent's field of the first rule for a path.
func applyRules(rules []rule, path, otherwise string) string {
	for _, r := range rules {
		rest, ok := strings.CutPrefix(path, r.child)
		if !ok || rest != "" && rest[0] != '.' && rest[0] != '[' {
			continue
		}
		if r.keepRest {
			return r.parent + rest
		}
		return r.parent
	}
	if strings.HasPrefix(path, "metadata.name") || strings.HasPrefix(path, "metadata.namespace") {
		return "metadata.name"
	}
	return otherwise
}

var indexPattern = regexp.MustCompile(`\[\d+\]`)

// withoutIndices removes [0] and the like, and keeps keys such as [cpu].
func withoutIndices(path string) string { return indexPattern.ReplaceAllString(path, "") }

package origin

import (
	"cmp"
	"regexp"
	"strings"
)

// rule leads from the fields of a child to one of its parent.
type rule struct {
	// child is the beginning of the child's path. Indices are left out of it: the
	// children have one container each, and lists of ours begin with our items.
	child string
	// parent is the parent's field.
	parent string
	// whole reports whether what follows is the same below the parent's field.
	whole bool
}

// Of returns the parent's field, such as spec.resources.limits, for the field of
// a child. kind is the child's, such as Deployment, and parent is GatiHandler or
// GatiModule. An empty path stands for the child as a whole.
func Of(parent, kind, path string) string {
	path = withoutIndices(path)
	if rest, ok := strings.CutPrefix(path, "spec.template."); ok && kind == "Deployment" {
		return follow(podRules, rest, "spec.pod")
	}
	if kind == "Pod" {
		return follow(podRules, path, "spec.pod")
	}
	if kind == "ConfigMap" && parent == "GatiModule" && !strings.HasPrefix(path, "metadata") {
		return "spec.config"
	}
	return follow(rules[kind], path, cmp.Or(wholes[kind], "spec"))
}

// follow finds the first rule for a path.
func follow(rules []rule, path, otherwise string) string {
	for _, r := range rules {
		rest, ok := strings.CutPrefix(path, r.child)
		if !ok || rest != "" && rest[0] != '.' && rest[0] != '[' {
			continue
		}
		if r.whole {
			return r.parent + rest
		}
		return r.parent
	}
	if strings.HasPrefix(path, "metadata.name") || strings.HasPrefix(path, "metadata.namespace") {
		return "metadata.name"
	}
	return otherwise
}

var index = regexp.MustCompile(`\[\d+\]`)

// withoutIndices drops [0] and the like, and keeps keys such as [cpu].
func withoutIndices(path string) string { return index.ReplaceAllString(path, "") }

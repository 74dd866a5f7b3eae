package compat

import (
	"strings"

	v1 "gati.dev/gati/api/v1"
)

// AllowedBy returns the user who allowed traffic to a version that breaks callers, or
// an empty string. The annotation reads <version>/<user>. The policy gati-overrides
// ensures that the named user set it and had the right to.
func AllowedBy(h *v1.GatiHandler, version string) string {
	of, by, _ := strings.Cut(h.Annotations[v1.AnnotationAllowBreaking], "/")
	if of != version {
		return ""
	}
	return by
}

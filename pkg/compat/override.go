package compat

import (
	"strings"

	v1 "gati.dev/gati/api/v1"
)

// AllowedBy is who lets a version take traffic although it breaks callers, empty
// where there is none. The annotation reads <version>/<user>, and the policy
// gati-overrides sees to it that the user is the one who set it and may.
func AllowedBy(h *v1.GatiHandler, version string) string {
	of, by, _ := strings.Cut(h.Annotations[v1.AnnotationAllowBreaking], "/")
	if of != version {
		return ""
	}
	return by
}

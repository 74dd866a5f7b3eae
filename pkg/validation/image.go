package validation

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"gati.dev/gati/pkg/lazyregexp"
)

var imagePattern = lazyregexp.New(`^[a-zA-Z0-9][a-zA-Z0-9._:/@-]*$`)

// validateImage rejects text that is not an image reference; empty is derived.
func validateImage(p *field.Path, ref string) field.ErrorList {
	if ref == "" || imagePattern.MatchString(ref) {
		return nil
	}
	return invalidValue(p, ref, "must be an image reference such as registry.example.com/app:v1.2.3, without spaces")
}

// isMutableImage reports whether an image reference may mean another image later.
func isMutableImage(ref string) bool {
	if ref == "" || strings.Contains(ref, "@") {
		return false
	}
	_, tag, tagged := strings.Cut(ref[strings.LastIndexByte(ref, '/')+1:], ":")
	return !tagged || tag == "latest"
}

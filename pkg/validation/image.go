package validation

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"gati.dev/gati/internal/lazyregexp"
)

var imagePattern = lazyregexp.New(`^[a-zA-Z0-9][a-zA-Z0-9._:/@-]*$`)

// image refuses what is no reference to an image. An empty one is derived.
func image(p *field.Path, ref string) field.ErrorList {
	if ref == "" {
		return nil
	}
	errs := atMost(p, ref, maxImageLength)
	if !imagePattern.MatchString(ref) {
		errs = append(errs, field.Invalid(p, ref, "must be an image reference such as registry.example.com/app:v1.2.3, without spaces"))
	}
	return errs
}

// moves reports whether an image reference may mean another image tomorrow.
func moves(ref string) bool {
	if ref == "" || strings.Contains(ref, "@") {
		return false
	}
	_, tag, tagged := strings.Cut(ref[strings.LastIndexByte(ref, '/')+1:], ":")
	return !tagged || tag == "latest"
}

package validation

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// SplitStoredErrors turns errors into warnings that the stored object has as well,
// at the same field with the same value: a tightened rule must not block other
// changes of an object. Errors of immutable fields remain, because the stored
// object does not have them.
func SplitStoredErrors(newErrs, oldErrs field.ErrorList) (errs field.ErrorList, warnings []string) {
	known := make(map[string]bool, len(oldErrs))
	for _, e := range oldErrs {
		known[e.Error()] = true
	}
	for _, e := range newErrs {
		if !known[e.Error()] {
			errs = append(errs, e)
			continue
		}
		warnings = append(warnings, fmt.Sprintf("%s: %s (already stored, so not rejected)", e.Field, e.ErrorBody()))
	}
	return errs, warnings
}

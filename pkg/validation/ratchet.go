package validation

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Ratchet splits the faults of an object that is to replace another: a fault that
// the other has as well, at the same field with the same value, becomes a warning.
// A rule that was tightened must not keep people from changing the rest of their
// object. What must not change is no fault of the old object, so it stays one.
func Ratchet(newErrs, oldErrs field.ErrorList) (errs field.ErrorList, warnings []string) {
	known := make(map[string]bool, len(oldErrs))
	for _, e := range oldErrs {
		known[e.Error()] = true
	}
	for _, e := range newErrs {
		if !known[e.Error()] {
			errs = append(errs, e)
			continue
		}
		warnings = append(warnings, fmt.Sprintf("%s: %s (stored before, so it is let through)", e.Field, e.ErrorBody()))
	}
	return errs, warnings
}

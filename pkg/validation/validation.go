package validation

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
)

var (
	specPath = field.NewPath("spec")
	namePath = field.NewPath("metadata", "name")
)

// ValidateHandler returns the errors of a handler. old is the stored object, or
// nil.
func ValidateHandler(new, old *v1.GatiHandler) field.ErrorList {
	return runChecks(checkHandler, new, old)
}

// ValidateModule returns the errors of a module. old is the stored object, or nil.
func ValidateModule(new, old *v1.GatiModule) field.ErrorList {
	return runChecks(checkModule, new, old)
}

// ValidateVersion returns the errors of a record, changes of its immutable fields
// included. old is the stored object, or nil.
func ValidateVersion(new, old *v1.GatiVersion) field.ErrorList {
	return runChecks(checkVersion, new, old)
}

// runChecks runs every check. The origin of an error is the name of its check.
func runChecks[T any](checks func(new, old *T) []outcome, new, old *T) field.ErrorList {
	if new == nil {
		return nil
	}
	var errs field.ErrorList
	for _, o := range checks(new, old) {
		for _, e := range o.errs {
			e.Origin = o.check
			errs = append(errs, e)
		}
	}
	return errs
}

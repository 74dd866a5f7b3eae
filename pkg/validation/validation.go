package validation

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
)

// change is an object before and after a write; old is nil on create.
type change[T any] struct{ new, old *T }

// check is one named rule of a kind.
type check[T any] struct {
	name string
	find func(change[T]) field.ErrorList
}

var (
	specPath = field.NewPath("spec")
	namePath = field.NewPath("metadata", "name")
)

// ValidateHandler returns the errors of a handler. old is the stored object, or
// nil.
func ValidateHandler(new, old *v1.GatiHandler) field.ErrorList {
	return runChecks(handlerChecks, new, old)
}

// ValidateModule returns the errors of a module. old is the stored object, or nil.
func ValidateModule(new, old *v1.GatiModule) field.ErrorList {
	return runChecks(moduleChecks, new, old)
}

// ValidateVersion returns the errors of a record, changes of its immutable fields
// included. old is the stored object, or nil.
func ValidateVersion(new, old *v1.GatiVersion) field.ErrorList {
	return runChecks(versionChecks, new, old)
}

// runChecks runs every check. The origin of an error is the name of its check.
func runChecks[T any](checks []check[T], new, old *T) field.ErrorList {
	if new == nil {
		return nil
	}
	var errs field.ErrorList
	for _, c := range checks {
		for _, e := range c.find(change[T]{new: new, old: old}) {
			e.Origin = c.name
			errs = append(errs, e)
		}
	}
	return errs
}

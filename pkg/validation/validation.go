package validation

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
)

// change is an object as it should become, and as it is, which may be nil.
type change[T any] struct{ new, old *T }

// check is one subject that an object is looked at for.
type check[T any] struct {
	name string
	find func(change[T]) field.ErrorList
}

var (
	specPath = field.NewPath("spec")
	namePath = field.NewPath("metadata", "name")
)

// ValidateHandler says what is wrong with a handler. old is the stored object, or
// nil.
func ValidateHandler(new, old *v1.GatiHandler) field.ErrorList {
	return run(handlerChecks, new, old)
}

// ValidateModule says what is wrong with a module. old is the stored object, or
// nil.
func ValidateModule(new, old *v1.GatiModule) field.ErrorList {
	return run(moduleChecks, new, old)
}

// ValidateVersion says what is wrong with a record, and what of it must not
// change. old is the stored object, or nil.
func ValidateVersion(new, old *v1.GatiVersion) field.ErrorList {
	return run(versionChecks, new, old)
}

// run asks every check. The origin of an error is the name of its check.
func run[T any](checks []check[T], new, old *T) field.ErrorList {
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

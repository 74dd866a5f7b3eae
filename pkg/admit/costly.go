package admit

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"

	"gati.dev/gati/pkg/admit/crd"
	"gati.dev/gati/pkg/validation"
)

// maxPlain is how many items of a list that is too long the API server may look at.
const maxPlain = 1_000

// FindCostly returns the errors of an object by its schema where they are so many that the
// API server would take long to find them: it compares each with all others, and looks at
// each item of a list that is too long. A spec that is too large as a whole may have any
// number of them, which are not looked for. Errors of the stored object, which may be nil, do not
// count.
func FindCostly(gvk schema.GroupVersionKind, object, stored []byte) field.ErrorList {
	errs := checkText(gvk, object)
	if isCostly(errs) && len(stored) > 0 {
		errs, _ = validation.SplitStoredErrors(errs, checkText(gvk, stored))
	}
	if !isCostly(errs) {
		return nil
	}
	return limitErrors(errs)
}

// checkText validates a text against the schema of its kind. A text that is not an object has
// no errors here: decoding refuses it.
func checkText(gvk schema.GroupVersionKind, text []byte) field.ErrorList {
	var content map[string]any
	schemas, err := crd.Shipped()
	if err != nil || kjson.UnmarshalCaseSensitivePreserveInts(text, &content) != nil {
		return nil
	}
	errs, _ := schemas.CheckText(gvk, content["spec"])
	return errs
}

func isCostly(errs field.ErrorList) bool {
	return len(errs) > MaxErrors || slices.ContainsFunc(errs, func(e *field.Error) bool {
		items, _ := e.BadValue.(int)
		return e.Type == field.ErrorTypeTooMany && items > maxPlain || e.Type == field.ErrorTypeTooLong && e.Field == "spec"
	})
}

package validation_test

import (
	"fmt"

	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/validation"
)

// Each fault names its field.
func ExampleValidateHandler() {
	handler := builders.MakeHandler("users").Path("users").Version("latest").Obj()
	for _, err := range validation.ValidateHandler(handler, nil) {
		fmt.Println(err.Type, err.Field)
	}
	// Output:
	// Invalid value spec.path
	// Invalid value spec.version
}

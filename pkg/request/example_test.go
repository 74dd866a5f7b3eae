package request_test

import (
	"fmt"

	"gati.dev/gati/pkg/request"
)

func ExampleParse() {
	r, err := request.Parse("rollback:v1.2.0/3F8E2A52-5B0C-4F57-9D0E-6F4B8F1F7C11")
	fmt.Println(r.Verb, r.Argument, err)
	fmt.Println(r)
	// Output:
	// rollback v1.2.0 <nil>
	// rollback:v1.2.0/3f8e2a52-5b0c-4f57-9d0e-6f4b8f1f7c11
}

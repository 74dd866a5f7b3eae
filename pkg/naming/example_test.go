package naming_test

import (
	"fmt"

	"gati.dev/gati/pkg/naming"
)

// The slug of a version is a part of names; its second template has r2.
func ExampleSlug() {
	fmt.Println(naming.Slug("v1.2.0", 1), naming.Slug("v1.2.0", 2))
	fmt.Println(naming.WorkloadService("users", naming.Slug("v1.2.0", 1)))
	// Output:
	// v1-2-0 v1-2-0-r2
	// handler-users--v1-2-0
}

func ExampleVersionFromImage() {
	fmt.Println(naming.VersionFromImage("registry.example/users:v1.2.0"))
	fmt.Println(naming.VersionFromImage("registry.example/users:latest"))
	// Output:
	// v1.2.0 true
	// latest false
}

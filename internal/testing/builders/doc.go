// Package builders builds API objects for tests in one readable line each:
//
//	builders.MakeHandler("a").Path("/x").Image("i:v1").Replicas(2).Obj()
//
// A built object has the required fields that the test sets, and no further defaults.
// The package is for tests only and must not know any rule.
package builders

// DefaultNamespace is the namespace of objects that do not set one.
const DefaultNamespace = "default"

func ptr[T any](v T) *T { return &v }

// set allocates the struct of a nil pointer.
func set[T any](field **T) *T {
	if *field == nil {
		*field = new(T)
	}
	return *field
}

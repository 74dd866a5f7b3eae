// Package builders makes API objects for tests in one readable line each:
//
//	builders.MakeHandler("a").Path("/x").Image("i:v1").Replicas(2).Obj()
//
// A built object is valid as far as its builder was told the required fields,
// and has no defaults but those. The package is for tests alone and must not know
// any rule.
package builders

// DefaultNamespace is that of every object that is not told another.
const DefaultNamespace = "default"

func ptr[T any](v T) *T { return &v }

// set makes the struct that a pointer may lack.
func set[T any](field **T) *T {
	if *field == nil {
		*field = new(T)
	}
	return *field
}

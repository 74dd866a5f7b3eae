package v1alpha1

import "strings"

// FieldPath translates a v1 path such as spec.path to the path of the same field in
// v1alpha1. A field that v1alpha1 does not have keeps its path.
//
// Messages about an object of v1alpha1 use it.
func FieldPath(kindName, path string) string {
	rest, inSpec := strings.CutPrefix(path, "spec.")
	k, known := kinds()[kindName]
	if !inSpec || !known {
		return path
	}
	end := strings.IndexAny(rest, ".[")
	if end < 0 {
		end = len(rest)
	}
	for _, f := range k.fields {
		if f.new == rest[:end] {
			return "spec." + f.old + rest[end:]
		}
	}
	return path
}

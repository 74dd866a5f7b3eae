package v1alpha1

import "strings"

// FieldPath translates a path such as spec.path, which is of an object of v1, to
// where v1alpha1 has the same field. A field that v1alpha1 does not have keeps
// its path.
//
// It is for people who wrote an object of v1alpha1 and are told what is wrong
// with it.
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

package validation

import v1 "gati.dev/gati/api/v1"

// Checks names every check, as kind/subject in the order of their lists. A test
// that claims to show each of them compares with it.
func Checks() []string {
	var out []string
	out = append(out, named("GatiHandler", handlerChecks, nil, nil)...)
	out = append(out, named("GatiModule", moduleChecks, nil, nil)...)
	return append(out, named("GatiVersion", versionChecks, nil, nil)...)
}

// FoundBy names the checks that find fault with an object of v1, as Checks does.
// old is the stored object, or nil.
func FoundBy(obj, old any) []string {
	switch o := obj.(type) {
	case *v1.GatiHandler:
		before, _ := old.(*v1.GatiHandler)
		return named("GatiHandler", handlerChecks, o, before)
	case *v1.GatiModule:
		before, _ := old.(*v1.GatiModule)
		return named("GatiModule", moduleChecks, o, before)
	case *v1.GatiVersion:
		before, _ := old.(*v1.GatiVersion)
		return named("GatiVersion", versionChecks, o, before)
	}
	return nil
}

// named names the checks that find fault with an object, all of them without one.
func named[T any](kind string, checks []check[T], new, old *T) []string {
	var out []string
	for _, c := range checks {
		if new == nil || len(c.find(change[T]{new: new, old: old})) > 0 {
			out = append(out, kind+"/"+c.name)
		}
	}
	return out
}

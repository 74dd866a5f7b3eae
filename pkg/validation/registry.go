package validation

import v1 "gati.dev/gati/api/v1"

// CheckNames returns the names of all checks as kind/subject, in the order of their
// lists. A test compares them with its cases.
func CheckNames() []string {
	var out []string
	out = append(out, namesOfFailing("GatiHandler", handlerChecks, nil, nil)...)
	out = append(out, namesOfFailing("GatiModule", moduleChecks, nil, nil)...)
	return append(out, namesOfFailing("GatiVersion", versionChecks, nil, nil)...)
}

// FailingChecks returns the names of the checks that an object of v1 fails. old is
// the stored object, or nil.
func FailingChecks(obj, old any) []string {
	switch o := obj.(type) {
	case *v1.GatiHandler:
		before, _ := old.(*v1.GatiHandler)
		return namesOfFailing("GatiHandler", handlerChecks, o, before)
	case *v1.GatiModule:
		before, _ := old.(*v1.GatiModule)
		return namesOfFailing("GatiModule", moduleChecks, o, before)
	case *v1.GatiVersion:
		before, _ := old.(*v1.GatiVersion)
		return namesOfFailing("GatiVersion", versionChecks, o, before)
	}
	return nil
}

// namesOfFailing returns the names of the checks that an object fails; without an
// object, of all checks.
func namesOfFailing[T any](kind string, checks []check[T], new, old *T) []string {
	var out []string
	for _, c := range checks {
		if new == nil || len(c.find(change[T]{new: new, old: old})) > 0 {
			out = append(out, kind+"/"+c.name)
		}
	}
	return out
}

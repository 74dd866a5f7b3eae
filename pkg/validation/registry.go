package validation

import v1 "gati.dev/gati/api/v1"

// CheckNames returns the names of all checks as kind/subject, in the order of their
// lists. A test compares them with its cases.
func CheckNames() []string {
	out := namesOf("GatiHandler", checkHandler(&v1.GatiHandler{}, nil), false)
	out = append(out, namesOf("GatiModule", checkModule(&v1.GatiModule{}, nil), false)...)
	return append(out, namesOf("GatiVersion", checkVersion(&v1.GatiVersion{}, nil), false)...)
}

// FailingChecks returns the names of the checks that an object of v1 fails. old is
// the stored object, or nil.
func FailingChecks(obj, old any) []string {
	switch o := obj.(type) {
	case *v1.GatiHandler:
		before, _ := old.(*v1.GatiHandler)
		return namesOf("GatiHandler", checkHandler(o, before), true)
	case *v1.GatiModule:
		before, _ := old.(*v1.GatiModule)
		return namesOf("GatiModule", checkModule(o, before), true)
	case *v1.GatiVersion:
		before, _ := old.(*v1.GatiVersion)
		return namesOf("GatiVersion", checkVersion(o, before), true)
	}
	return nil
}

func namesOf(kind string, outcomes []outcome, failing bool) []string {
	var out []string
	for _, o := range outcomes {
		if !failing || len(o.errs) > 0 {
			out = append(out, kind+"/"+o.check)
		}
	}
	return out
}

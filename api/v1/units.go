package v1

import "fmt"

// Title is the name of the unit for people: v2, or v2 r2 where the template is not the
// first of its version. That of a nil reference is empty.
func (r *UnitRef) Title() string {
	switch {
	case r == nil:
		return ""
	case r.RevisionNumber > 1:
		return fmt.Sprintf("%s r%d", r.Version, r.RevisionNumber)
	default:
		return r.Version
	}
}

// SameTemplate reports whether both references name the same template, in whatever
// workload. A nil reference names none.
func (r *UnitRef) SameTemplate(other *UnitRef) bool {
	return r != nil && other != nil && r.Version == other.Version && r.RevisionNumber == other.RevisionNumber
}

// SameUnit reports whether both references name the same template in the same
// workload. A nil reference names none.
func (r *UnitRef) SameUnit(other *UnitRef) bool {
	return r.SameTemplate(other) && r.Workload == other.Workload
}

// Ref returns the reference that names this unit.
func (v *VersionStatus) Ref() *UnitRef {
	return &UnitRef{Version: v.Version, RevisionNumber: v.RevisionNumber, Revision: v.Revision, Workload: v.Workload}
}

// Title is the name of the unit for people.
func (v *VersionStatus) Title() string { return v.Ref().Title() }

// OverriddenBy returns who let a version take traffic although it breaks callers,
// empty where no user did. An override holds for every template of the version.
func OverriddenBy(versions []VersionStatus, version string) string {
	for i := range versions {
		if v := &versions[i]; v.Version == version && v.OverriddenBy != "" {
			return v.OverriddenBy
		}
	}
	return ""
}

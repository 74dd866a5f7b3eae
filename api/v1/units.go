package v1

import "fmt"

// UnitTitle is how people are told of a template: v2, or v2 r2 where it is not the
// first of its version.
func UnitTitle(version string, revisionNumber int64) string {
	if revisionNumber > 1 {
		return fmt.Sprintf("%s r%d", version, revisionNumber)
	}
	return version
}

// Title is how people are told of the unit. That of a nil reference is empty.
func (r *UnitRef) Title() string {
	if r == nil {
		return ""
	}
	return UnitTitle(r.Version, r.RevisionNumber)
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

// Title is how people are told of the unit.
func (v *VersionStatus) Title() string { return UnitTitle(v.Version, v.RevisionNumber) }

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

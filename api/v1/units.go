package v1

import (
	"fmt"
	"strconv"
	"strings"
)

// Title returns the display name of the unit: v2, or v2 r2 for a later template of the
// version. It is empty for a nil reference.
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

// SameTemplate reports whether both references identify the same template, in any
// workload. A nil reference equals none.
func (r *UnitRef) SameTemplate(other *UnitRef) bool {
	return r != nil && other != nil && r.Version == other.Version && r.RevisionNumber == other.RevisionNumber
}

// SameUnit reports whether both references identify the same template in the same
// workload. A nil reference equals none.
func (r *UnitRef) SameUnit(other *UnitRef) bool {
	return r.SameTemplate(other) && r.Workload == other.Workload
}

// Ref returns the reference to this unit.
func (v *VersionStatus) Ref() *UnitRef {
	return &UnitRef{Version: v.Version, RevisionNumber: v.RevisionNumber, Revision: v.Revision, Workload: v.Workload}
}

// Title returns the display name of the unit.
func (v *VersionStatus) Title() string { return v.Ref().Title() }

// FormatReady returns the numbers of pods as status.ready has them: 2/3.
func FormatReady(ready, wanted int32) string { return fmt.Sprintf("%d/%d", ready, wanted) }

// ParseReady returns the numbers of pods of a status.ready, zero where it has none.
func ParseReady(text string) (ready, wanted int32) {
	has, wants, _ := strings.Cut(text, "/")
	r, errReady := strconv.ParseInt(has, 10, 32)
	w, errWanted := strconv.ParseInt(wants, 10, 32)
	if errReady != nil || errWanted != nil {
		return 0, 0
	}
	return int32(r), int32(w)
}

// IsMeasured reports whether something has measured the version's traffic.
func (v *VersionStatus) IsMeasured() bool {
	return v.TrafficSource != "" && v.TrafficSource != TrafficSourceNone
}

// IsUndecided reports whether nothing was decided about a handler yet.
func (s *GatiHandlerStatus) IsUndecided() bool {
	return s.ObservedGeneration == 0 && s.Rollout == nil
}

// OverriddenBy returns the user who allowed a version traffic although it breaks
// callers, or an empty string. An override holds for every template of the version.
func OverriddenBy(versions []VersionStatus, version string) string {
	for i := range versions {
		if v := &versions[i]; v.Version == version && v.OverriddenBy != "" {
			return v.OverriddenBy
		}
	}
	return ""
}

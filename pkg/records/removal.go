package records

import (
	"fmt"
	"slices"

	v1 "gati.dev/gati/api/v1"
)

// InUse returns why a record should be kept: its handler runs the version. It is empty
// when the record may be deleted. others are the records of the namespace; one that
// replaces it allows the deletion.
func InUse(record *v1.GatiVersion, h *v1.GatiHandler, others []v1.GatiVersion) string {
	b, bound := Bound(record)
	if !bound || h == nil || h.DeletionTimestamp != nil || b.Handler != h.Name {
		return ""
	}
	at := slices.IndexFunc(h.Status.Versions, func(v v1.VersionStatus) bool {
		return v.Version == b.Version && v.Record == record.Name && v.Phase != v1.VersionDecommissioned
	})
	if at < 0 || slices.ContainsFunc(others, func(o v1.GatiVersion) bool { return replaces(&o, record, b) }) {
		return ""
	}
	v := h.Status.Versions[at]
	return fmt.Sprintf("it is the record of %s, which GatiHandler %s runs with %d %% of the traffic, and would be written again without its tags, schema and transformers; %s",
		v.Version, h.Name, v.Weight, remedy(v))
}

// replaces reports whether another record is bound to the same version.
func replaces(other, record *v1.GatiVersion, b Binding) bool {
	if other.Name == record.Name || other.DeletionTimestamp != nil || IsAutomatic(other) {
		return false
	}
	theirs, bound := Bound(other)
	return bound && theirs == b
}

// remedy describes how to take a version out of use.
func remedy(v v1.VersionStatus) string {
	if v.Weight > 0 {
		return "roll another version out first"
	}
	return "set spec.active to false, and delete the record once its phase is Decommissioned"
}

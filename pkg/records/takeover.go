package records

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// wouldLose names the fields that others have set in an automatic record and that a
// user's record lacks or contradicts; empty when nothing would be lost.
func wouldLose(auto, user *v1.GatiVersion) string {
	a, u := auto.Spec, user.Spec
	kept := map[string]bool{
		"tags":         containsAll(u.Tags, a.Tags),
		"keep":         equality.Semantic.DeepEqual(a.Keep, u.Keep),
		"active":       equality.Semantic.DeepEqual(a.Active, u.Active),
		"schema":       equality.Semantic.DeepEqual(a.Schema, u.Schema),
		"transformers": equality.Semantic.DeepEqual(a.Transformers, u.Transformers),
		"traffic":      equality.Semantic.DeepEqual(a.Traffic, u.Traffic),
	}
	lost := slices.DeleteFunc(Carried(auto), func(name string) bool { return kept[name] })
	return strings.Join(lost, ", ")
}

func containsAll(have, want []v1.Tag) bool {
	return !slices.ContainsFunc(want, func(t v1.Tag) bool { return !slices.Contains(have, t) })
}

// TakenOver reports whether a user has applied an automatic record and thereby taken it
// over. A single field patched by kubectl gati does not count.
func TakenOver(record *v1.GatiVersion) bool {
	if !IsAutomatic(record) {
		return false
	}
	if record.Annotations["kubectl.kubernetes.io/last-applied-configuration"] != "" {
		return true
	}
	return slices.ContainsFunc(record.ManagedFields, func(m metav1.ManagedFieldsEntry) bool {
		ours := m.Manager == v1.FieldManager || m.Manager == v1.PluginManager
		return m.Operation == metav1.ManagedFieldsOperationApply && !ours
	})
}

// OwnerOf is how the automatic records of a handler name it.
func OwnerOf(h *v1.GatiHandler) metav1.OwnerReference {
	return *metav1.NewControllerRef(h, v1.GroupVersion.WithKind("GatiHandler"))
}

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
	if at < 0 || slices.ContainsFunc(others, func(o v1.GatiVersion) bool { return isReplacement(&o, record, b) }) {
		return ""
	}
	v := h.Status.Versions[at]
	return fmt.Sprintf("it is the record of %s, which GatiHandler %s runs with %d %% of the traffic, and would be written again without its tags, schema and transformers; %s",
		v.Version, h.Name, v.Weight, remedyFor(v))
}

// isReplacement reports whether another record is bound to the same version.
func isReplacement(other, record *v1.GatiVersion, b Binding) bool {
	if other.Name == record.Name || other.DeletionTimestamp != nil || IsAutomatic(other) {
		return false
	}
	theirs, bound := Bound(other)
	return bound && theirs == b
}

// remedyFor describes how to take a version out of use.
func remedyFor(v v1.VersionStatus) string {
	if v.Weight > 0 {
		return "roll another version out first"
	}
	return "set spec.active to false, and delete the record once its phase is Decommissioned"
}

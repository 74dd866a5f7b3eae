package records

import (
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

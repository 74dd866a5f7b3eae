package records

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/ownership"
)

// wouldLose names what others have put into an automatic record and a user's
// record lacks or contradicts; empty when nothing would be lost. The controller
// itself sets none of these but traffic, which it takes from the handler.
func wouldLose(auto, user *v1.GatiVersion) string {
	a, u := auto.Spec, user.Spec
	var lost []string
	keep := func(name string, set, kept bool) {
		if set && !kept {
			lost = append(lost, name)
		}
	}
	keep("tags", len(a.Tags) > 0, containsAll(u.Tags, a.Tags))
	keep("keep", a.Keep != nil, equality.Semantic.DeepEqual(a.Keep, u.Keep))
	keep("active", a.Active != nil, equality.Semantic.DeepEqual(a.Active, u.Active))
	keep("schema", a.Schema != nil, equality.Semantic.DeepEqual(a.Schema, u.Schema))
	keep("transformers", len(a.Transformers) > 0, equality.Semantic.DeepEqual(a.Transformers, u.Transformers))
	keep("traffic", ownership.FindOther(auto.ManagedFields, "traffic", v1.FieldManager) != "", equality.Semantic.DeepEqual(a.Traffic, u.Traffic))
	return strings.Join(lost, ", ")
}

func containsAll(have, want []v1.Tag) bool {
	return !slices.ContainsFunc(want, func(t v1.Tag) bool { return !slices.Contains(have, t) })
}

// TakenOver reports whether a user has applied over an automatic record, and so
// made it their own. A single field patched by kubectl gati does not.
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

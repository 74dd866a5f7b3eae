package bundle

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// first and last are kustomize's legacy order: what others need comes before
// them, and the hooks come when gati-webhook is there. All else lies between.
var (
	first = []string{
		"Namespace", "ResourceQuota", "StorageClass", "CustomResourceDefinition", "ServiceAccount", "PodSecurityPolicy",
		"Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding", "ConfigMap", "Secret", "Endpoints", "Service", "LimitRange",
		"PriorityClass", "PersistentVolume", "PersistentVolumeClaim", "Deployment", "StatefulSet", "CronJob", "PodDisruptionBudget",
	}
	last = []string{"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}
)

func rankOfKind(kind string) int {
	if i := slices.Index(first, kind); i >= 0 {
		return i - len(first)
	}
	return slices.Index(last, kind) + 1
}

func inOrder(a, b *unstructured.Unstructured) int {
	ga, gb := a.GroupVersionKind(), b.GroupVersionKind()
	return cmp.Or(
		cmp.Compare(rankOfKind(ga.Kind), rankOfKind(gb.Kind)),
		cmp.Compare(cmp.Or(ga.Group, "~G")+"_"+ga.Version+"_"+ga.Kind, cmp.Or(gb.Group, "~G")+"_"+gb.Version+"_"+gb.Kind),
		cmp.Compare(cmp.Or(a.GetNamespace(), "~X")+"|"+a.GetName(), cmp.Or(b.GetNamespace(), "~X")+"|"+b.GetName()),
	)
}

package ownership_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/ownership"
)

func TestIsChild(t *testing.T) {
	handler := &v1.GatiHandler{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "users", UID: "1"}}
	module := &v1.GatiModule{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "users", UID: "2"}}
	yes := true
	ref := func(o metav1.Object) []metav1.OwnerReference {
		return []metav1.OwnerReference{{Name: o.GetName(), UID: o.GetUID(), Controller: &yes}}
	}
	labels := func(target, key, name string) map[string]string {
		return map[string]string{v1.LabelTarget: target, key: name}
	}
	tests := map[string]struct {
		namespace string
		labels    map[string]string
		refs      []metav1.OwnerReference
		of        metav1.Object
		want      bool
	}{
		"controlled":                             {refs: ref(handler), of: handler, want: true},
		"controlled by another":                  {refs: ref(module), of: handler},
		"of another by reference, labels or not": {refs: ref(module), labels: labels("helm", v1.LabelHandler, "users"), of: handler},
		"of a target":                            {labels: labels("helm", v1.LabelHandler, "users"), of: handler, want: true},
		"of a target, a module's":                {labels: labels("helm", v1.LabelModule, "users"), of: module, want: true},
		"of a target, the other kind":            {labels: labels("helm", v1.LabelModule, "users"), of: handler},
		"of a target, another name":              {labels: labels("helm", v1.LabelHandler, "orders"), of: handler},
		"of a target, another namespace":         {namespace: "else", labels: labels("helm", v1.LabelHandler, "users"), of: handler},
		"orphaned":                               {labels: map[string]string{v1.LabelHandler: "users"}, of: handler},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			namespace := "shop"
			if tc.namespace != "" {
				namespace = tc.namespace
			}
			child := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Labels: tc.labels, OwnerReferences: tc.refs}}
			if got := ownership.IsChild(child, tc.of); got != tc.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

// TestIsPodOf holds that labels make no pod ours: the chain of owners does.
func TestIsPodOf(t *testing.T) {
	const hash = "5d8c7bb5f4"
	ours := metav1.OwnerReference{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "handler-users-" + hash, Controller: new(true)}
	change := func(change func(*metav1.OwnerReference)) []metav1.OwnerReference {
		other := ours
		change(&other)
		return []metav1.OwnerReference{other}
	}
	for name, tc := range map[string]struct {
		refs []metav1.OwnerReference
		hash string
		want bool
	}{
		"made by the Deployment":       {refs: []metav1.OwnerReference{ours}, hash: hash, want: true},
		"with our labels alone":        {hash: hash},
		"of another template":          {refs: []metav1.OwnerReference{ours}, hash: "other"},
		"without the hash":             {refs: []metav1.OwnerReference{ours}},
		"not controlled":               {refs: change(func(r *metav1.OwnerReference) { r.Controller = nil }), hash: hash},
		"of another Deployment":        {refs: change(func(r *metav1.OwnerReference) { r.Name = "other-" + hash }), hash: hash},
		"of another kind":              {refs: change(func(r *metav1.OwnerReference) { r.Kind = "Job" }), hash: hash},
		"of a ReplicaSet of others":    {refs: change(func(r *metav1.OwnerReference) { r.APIVersion = "example.com/v1" }), hash: hash},
		"of a longer name of the same": {refs: change(func(r *metav1.OwnerReference) { r.Name = "handler-users-x-" + hash }), hash: hash},
	} {
		t.Run(name, func(t *testing.T) {
			p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{v1.LabelHandler: "users", v1.LabelWorkload: v1.WorkloadMain, "pod-template-hash": tc.hash}, OwnerReferences: tc.refs}}
			if got := ownership.IsPodOf(p, "handler-users"); got != tc.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

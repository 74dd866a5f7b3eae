package target_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/targettest"
	"gati.dev/gati/pkg/target"
)

// A handler stays with the target that has its children, whatever is chosen later.
func TestSetFor(t *testing.T) {
	plain, helm := &targettest.Fake{}, &targettest.Fake{Holds: "gati.dev/helm"}
	set := target.Set{v1.TargetKubernetes: plain, v1.TargetHelm: helm}
	fresh, held := &v1.GatiHandler{}, &v1.GatiHandler{ObjectMeta: metav1.ObjectMeta{Finalizers: []string{"gati.dev/helm"}}}
	for _, tc := range []struct {
		owner  *v1.GatiHandler
		chosen string
		want   target.Target
	}{
		{fresh, v1.TargetKubernetes, plain}, {fresh, v1.TargetHelm, helm}, {held, v1.TargetKubernetes, helm}, {fresh, v1.TargetGitOps, nil},
	} {
		got, err := set.For(tc.owner, tc.chosen)
		if got != tc.want || (err == nil) != (tc.want != nil) {
			t.Errorf("%s: got %v and %v", tc.chosen, got, err)
		}
	}
}

func TestFindOwner(t *testing.T) {
	yes := true
	ref := func(version, kind string) []metav1.OwnerReference {
		return []metav1.OwnerReference{{APIVersion: version, Kind: kind, Name: "a", Controller: &yes}}
	}
	tests := map[string]struct {
		labels map[string]string
		refs   []metav1.OwnerReference
		want   string
	}{
		"by reference":             {refs: ref("gati.dev/v1", "GatiHandler"), want: "a"},
		"by an older reference":    {refs: ref("gati.dev/v1alpha1", "GatiHandler"), want: "a"},
		"of a module":              {refs: ref("gati.dev/v1", "GatiModule")},
		"of another group":         {refs: ref("example.com/v1", "GatiHandler"), labels: map[string]string{v1.LabelHandler: "b", v1.LabelTarget: "helm"}},
		"by label":                 {labels: map[string]string{v1.LabelHandler: "b", v1.LabelTarget: "helm"}, want: "b"},
		"by the label of a module": {labels: map[string]string{v1.LabelModule: "b", v1.LabelTarget: "helm"}},
		"without a target":         {labels: map[string]string{v1.LabelHandler: "b"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			child := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "x", Labels: tc.labels, OwnerReferences: tc.refs}}
			got, ok := target.FindOwner(child, v1.LabelHandler)
			if ok != (tc.want != "") || ok && got != (types.NamespacedName{Namespace: "shop", Name: tc.want}) {
				t.Errorf("got %v, %t", got, ok)
			}
		})
	}
}

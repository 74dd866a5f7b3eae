package policy

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// makeRelease returns a Secret in the form of a release, changed by edit.
func makeRelease(namespace string, edit func(*corev1.Secret)) *corev1.Secret {
	out := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "sh.helm.release.v1.handler-users.v1"},
		Type:       "helm.sh/release.v1",
	}
	edit(out)
	return out
}

// makeHelmChild returns a ConfigMap in the form of a child without an ownerReference, changed by
// edit.
func makeHelmChild(namespace string, edit func(*corev1.ConfigMap)) *corev1.ConfigMap {
	out := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: namespace, Name: "handler-users", Labels: map[string]string{"gati.dev/target": "helm", "gati.dev/handler": "users"},
	}}
	edit(out)
	return out
}

// TestReleasesNeedTheVerb holds that the controllers write releases and children without
// an ownerReference where they have the verb release, and no other Secret or object there.
func TestReleasesNeedTheVerb(t *testing.T) {
	const with, without = "releases", "no-releases"
	all := []string{"get", "create", "update", "patch", "delete"}
	for ns, verbs := range map[string][]string{with: {"get", "patch", "release"}, without: {"get", "patch"}} {
		makeNamespace(t, ns)
		grantRights(t, ns, gati, makeRule("", []string{"secrets", "configmaps"}, all), makeRule("gati.dev", []string{"gatihandlers"}, verbs))
	}
	for name, tc := range map[string]struct {
		make    func(ns string) client.Object
		allowed bool
	}{
		"a release of a handler": {func(ns string) client.Object { return makeRelease(ns, func(*corev1.Secret) {}) }, true},
		"a release of a module": {func(ns string) client.Object {
			return makeRelease(ns, func(s *corev1.Secret) { s.Name = "sh.helm.release.v1.module-db.v7" })
		}, true},
		"a release of others": {func(ns string) client.Object {
			return makeRelease(ns, func(s *corev1.Secret) { s.Name = "sh.helm.release.v1.shop.v1" })
		}, false},
		"a Secret of another type": {func(ns string) client.Object {
			return makeRelease(ns, func(s *corev1.Secret) { s.Type = corev1.SecretTypeOpaque })
		}, false},
		"a child of a release": {func(ns string) client.Object { return makeHelmChild(ns, func(*corev1.ConfigMap) {}) }, true},
		"a child without a target": {func(ns string) client.Object {
			return makeHelmChild(ns, func(c *corev1.ConfigMap) { delete(c.Labels, "gati.dev/target") })
		}, false},
		"a child of no handler": {func(ns string) client.Object {
			return makeHelmChild(ns, func(c *corev1.ConfigMap) { delete(c.Labels, "gati.dev/handler") })
		}, false},
		"an object of another controller": {func(ns string) client.Object {
			return makeHelmChild(ns, func(c *corev1.ConfigMap) {
				yes := true
				c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "d", UID: "d", Controller: &yes}}
			})
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			checkWrites(t, tc.make(with), tc.allowed)
			checkWrites(t, tc.make(without), false)
		})
	}
}

// checkWrites tries to create, change and delete an object as the controllers.
func checkWrites(t *testing.T, obj client.Object, allowed bool) {
	t.Helper()
	check := func(what string, err error) {
		t.Helper()
		if got := describeOutcome(err); (got == "admitted") != allowed || !allowed && !strings.Contains(got, "the account gati-controller may not") {
			t.Errorf("%s in %s must be allowed: %t, got %s", what, obj.GetNamespace(), allowed, got)
		}
	}
	check("create", clientOf(gati).Create(t.Context(), obj.DeepCopyObject().(client.Object), client.DryRunAll))
	if err := admin.Create(t.Context(), obj); err != nil {
		t.Fatal(err)
	}
	changed := obj.DeepCopyObject().(client.Object)
	changed.SetAnnotations(map[string]string{"a": "b"})
	check("update", clientOf(gati).Update(t.Context(), changed, client.DryRunAll))
	check("delete", clientOf(gati).Delete(t.Context(), obj.DeepCopyObject().(client.Object), client.DryRunAll))
	if err := admin.Delete(t.Context(), obj); err != nil {
		t.Fatal(err)
	}
}

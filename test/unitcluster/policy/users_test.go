package policy

import (
	"context"
	"errors"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/test/support/await"
)

// rootName may do everything.
const rootName = "root"

// clientOf returns the client of another user, by impersonation.
func clientOf(name string, groups ...string) client.Client {
	theirs := rest.CopyConfig(config)
	theirs.Impersonate = rest.ImpersonationConfig{UserName: name, Groups: append(groups, "system:authenticated")}
	c, err := client.New(theirs, client.Options{})
	if err != nil {
		panic(err)
	}
	return c
}

func rootClient() client.Client { return clientOf(rootName, "system:masters") }

// makeRule grants verbs on resources of a group.
func makeRule(group string, resources, verbs []string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: verbs}
}

// makeNamespace makes a namespace, unless it is there, and empties it after the test: without
// controllers none is ever deleted.
func makeNamespace(t *testing.T, name string) {
	t.Helper()
	t.Cleanup(func() {
		for _, kind := range []client.Object{
			makeObject("v1", "GatiHandler", "", "", ""), makeObject("v1", "GatiVersion", "", "", ""), makeObject("v1", "GatiModule", "", "", ""), &appsv1.ControllerRevision{},
		} {
			if err := admin.DeleteAllOf(context.Background(), kind, client.InNamespace(name)); err != nil {
				t.Error(err)
			}
		}
	})
	err := admin.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	if client.IgnoreAlreadyExists(err) != nil {
		t.Fatal(err)
	}
}

// grantRights gives a user rules in a namespace and waits until the last of them holds.
func grantRights(t *testing.T, namespace, user string, rules ...rbacv1.PolicyRule) {
	t.Helper()
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: user}, Rules: rules}
	if err := client.IgnoreAlreadyExists(admin.Create(t.Context(), role)); err != nil {
		t.Fatal(err)
	}
	bindRole(t, namespace, user, rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: user})
	last := rules[len(rules)-1]
	awaitRight(t, namespace, user, last.APIGroups[0], last.Resources[0], last.Verbs[len(last.Verbs)-1])
}

// grantRole gives a user a ClusterRole in a namespace.
func grantRole(t *testing.T, namespace, user, role string) {
	t.Helper()
	bindRole(t, namespace, user, rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role})
	awaitRight(t, namespace, user, "gati.dev", "gatihandlers", "create")
}

func bindRole(t *testing.T, namespace, user string, role rbacv1.RoleRef) {
	t.Helper()
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: user + "-" + role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
		RoleRef:    role,
	}
	if err := client.IgnoreAlreadyExists(admin.Create(t.Context(), binding)); err != nil {
		t.Fatal(err)
	}
}

func awaitRight(t *testing.T, namespace, user, group, resource, verb string) {
	t.Helper()
	await.Eventually(t, user+" who may "+verb+" "+resource+" in "+namespace, func() error {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User:               user,
			ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: namespace, Group: group, Resource: resource, Verb: verb},
		}}
		if err := admin.Create(t.Context(), review); err != nil {
			return err
		}
		if !review.Status.Allowed {
			return errors.New("not allowed yet")
		}
		return nil
	})
}

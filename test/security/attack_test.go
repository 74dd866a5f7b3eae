package security

import (
	"errors"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/kube"
)

// logAttempt prints what an attacker tries.
func logAttempt(t *testing.T, format string, args ...any) {
	t.Helper()
	t.Logf("tried: "+format, args...)
}

// logDefence prints what stopped the attack.
func logDefence(t *testing.T, format string, args ...any) {
	t.Helper()
	t.Logf("held: "+format, args...)
}

// makeTenant makes a namespace and returns the client of a user who has gati-edit there and
// nothing elsewhere.
func makeTenant(t *testing.T, ns string) client.Client {
	t.Helper()
	env.Namespace(t, ns)
	user := "tenant-of-" + ns
	bindRole(t, ns, user, rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "gati-edit"})
	awaitRight(t, user, authorizationv1.ResourceAttributes{Namespace: ns, Group: "gati.dev", Resource: "gatihandlers", Verb: "create"})
	return clientOf(t, user)
}

// makeDeployer returns the client of a user who may write workloads in a namespace that is
// there, and nothing of Gati's.
func makeDeployer(t *testing.T, ns string) client.Client {
	t.Helper()
	user := "deployer-of-" + ns
	role := &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: user},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"apps"}, Resources: []string{"*"}, Verbs: []string{"*"}}},
	}
	if err := admin.Create(t.Context(), role); err != nil {
		t.Fatal(err)
	}
	bindRole(t, ns, user, rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: user})
	awaitRight(t, user, authorizationv1.ResourceAttributes{Namespace: ns, Group: "apps", Resource: "controllerrevisions", Verb: "create"})
	return clientOf(t, user)
}

func bindRole(t *testing.T, ns, user string, role rbacv1.RoleRef) {
	t.Helper()
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: user}, RoleRef: role,
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}
	if err := admin.Create(t.Context(), binding); err != nil {
		t.Fatal(err)
	}
}

// awaitRight waits until the API server knows of a grant.
func awaitRight(t *testing.T, user string, to authorizationv1.ResourceAttributes) {
	t.Helper()
	await.Eventually(t, "the right of "+user, func() error {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: user, Groups: []string{"system:authenticated"}, ResourceAttributes: &to,
		}}
		if err := admin.Create(t.Context(), review); err != nil {
			return err
		}
		if !review.Status.Allowed {
			return errors.New("it is not granted yet")
		}
		return nil
	})
}

// clientOf returns the client of another user, by impersonation.
func clientOf(t *testing.T, user string, groups ...string) client.Client {
	t.Helper()
	config := rest.CopyConfig(env.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: append(groups, "system:authenticated")}
	config.WarningHandlerWithContext = rest.NoWarnings{}
	c, err := client.New(config, client.Options{Scheme: kube.Scheme(), Mapper: admin.RESTMapper()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

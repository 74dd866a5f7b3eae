package security

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
)

// TestNothingIsReachedWithoutTheRight has a tenant with gati-edit, and without the right to
// create pods, name what only pods reach, and go back to a version that had it.
func TestNothingIsReachedWithoutTheRight(t *testing.T) {
	const ns = "references"
	attacker := makeTenant(t, ns)
	trusted := podCreator(t, ns)
	mustCreate(t, attacker, builders.MakeHandler("there").Namespace(ns).Image("app:v1.0.0").Obj())

	for name, fields := range map[string]string{
		"a certificate for the pod":             `"pod":{"volumes":[{"name":"v","projected":{"sources":[{"podCertificate":{"signerName":"a.b/c","keyType":"ED25519","credentialBundlePath":"c"}}]}}]}`,
		"a token for another audience":          `"pod":{"volumes":[{"name":"v","projected":{"sources":[{"serviceAccountToken":{"path":"t","audience":"vault"}}]}}]}`,
		"a ConfigMap by envFrom":                `"envFrom":[{"configMapRef":{"name":"settings"}}]`,
		"a key of a ConfigMap":                  `"env":[{"name":"A","valueFrom":{"configMapKeyRef":{"name":"settings","key":"k"}}}]`,
		"a ConfigMap as a volume":               `"pod":{"volumes":[{"name":"v","configMap":{"name":"settings"}}]}`,
		"a ConfigMap within a projected volume": `"pod":{"volumes":[{"name":"v","projected":{"sources":[{"configMap":{"name":"settings"}}]}}]}`,
		"a Secret by envFrom":                   `"envFrom":[{"secretRef":{"name":"db"}}]`,
	} {
		logAttempt(t, "a handler is given %s", name)
		patch := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{`+fields+`}}`))
		h := &v1.GatiHandler{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "there"}}
		checkAsked(t, attacker.Patch(t.Context(), h.DeepCopy(), patch, client.DryRunAll))
		if err := trusted.Patch(t.Context(), h, patch, client.DryRunAll); err != nil {
			t.Errorf("refused although the right is there: %v", err)
		}
	}
	logDefence(t, "each needs the right to create pods")

	secret := corev1.EnvFromSource{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "db"}, Optional: new(true)}}
	mustCreate(t, trusted, builders.MakeHandler("shop").Namespace(ns).Image("app:v1.0.0").Spec(func(s *v1.GatiHandlerSpec) {
		s.EnvFrom = []corev1.EnvFromSource{secret}
	}).Obj())
	awaitServing(t, ns, "shop", "v1.0.0")
	logAttempt(t, "a tenant takes the Secret away from a handler, and rolls back to the version that had it")
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"image":"app:v2.0.0","envFrom":null}}`))
	if err := attacker.Patch(t.Context(), &v1.GatiHandler{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "shop"}}, patch); err != nil {
		t.Fatal(err)
	}
	awaitServing(t, ns, "shop", "v2.0.0")
	for _, request := range []string{"rollback:v1.0.0", "rollback"} {
		checkAsked(t, sendRequest(t, attacker, ns, "shop", "tenant-of-"+ns, request))
	}
	awaitServing(t, ns, "shop", "v2.0.0")
	logDefence(t, "the rollback asks for the right again, with and without a version")
	if err := sendRequest(t, trusted, ns, "shop", "pods-of-"+ns, "rollback:v1.0.0"); err != nil {
		t.Errorf("refused although the right is there: %v", err)
	}
	awaitServing(t, ns, "shop", "v1.0.0")

	logAttempt(t, "a tenant rolls back to a version that reaches nothing more than the spec")
	if err := sendRequest(t, attacker, ns, "shop", "tenant-of-"+ns, "rollback:v2.0.0"); err != nil {
		t.Errorf("a rollback that brings back nothing is refused: %v", err)
	}
	awaitServing(t, ns, "shop", "v2.0.0")
	logDefence(t, "that needs the verb alone")

	logAttempt(t, "a deployer relabels the revision that serves")
	ours := &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: readHandler(t, ns, "shop").Status.Rollout.Stable.Revision}}
	checkOurs(t, makeDeployer(t, ns).Patch(t.Context(), ours, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"labels":{"a":"b"}}}`))))
	logDefence(t, "only our account changes one")
}

// podCreator returns the client of a tenant who may also create pods.
func podCreator(t *testing.T, ns string) client.Client {
	t.Helper()
	user := "pods-of-" + ns
	mustCreate(t, admin, &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: user},
		Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{"gati.dev"}, Resources: []string{"gatihandlers"}, Verbs: []string{"*"}},
			{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"create"}},
		},
	})
	bindRole(t, ns, user, rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: user})
	awaitRight(t, user, authorizationv1.ResourceAttributes{Namespace: ns, Resource: "pods", Verb: "create"})
	return clientOf(t, user)
}

func checkAsked(t *testing.T, err error) {
	t.Helper()
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "can be reached by whoever may create pods") {
		t.Errorf("it was not refused by the policy: %v", err)
	}
}

// sendRequest makes a request on a handler.
func sendRequest(t *testing.T, c client.Client, ns, name, user, request string) error {
	t.Helper()
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q,%q:%q}}}`, v1.AnnotationRequest, request+"/"+string(uuid.NewUUID()), v1.AnnotationRequestedBy, user)
	return c.Patch(t.Context(), &v1.GatiHandler{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}}, client.RawPatch("application/merge-patch+json", []byte(patch)))
}

// awaitServing waits until a version serves alone.
func awaitServing(t *testing.T, ns, name, version string) {
	t.Helper()
	await.Eventually(t, version+" of "+name+" that serves", func() error {
		h := readHandler(t, ns, name)
		ro := h.Status.Rollout
		if ro == nil || ro.Stable == nil || ro.Phase != v1.RolloutStable {
			return errors.New("nothing is stable")
		}
		if ro.Stable.Version != version || h.Status.Serving != version {
			return fmt.Errorf("%s is stable, %s serves", ro.Stable.Version, h.Status.Serving)
		}
		return nil
	})
}

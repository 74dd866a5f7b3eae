package integration

import (
	"encoding/json"
	"fmt"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/local"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/test/support/auditlog"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/kube"
)

// retired is an environment variable that an earlier release gave every pod.
const retired = "GATI_LEGACY"

// withRetired is a Deployment with that variable.
func withRetired() *appsv1.Deployment {
	d := makeTwoReplicas()
	d.Spec.Template.Spec.Containers[0].Env = []corev1.EnvVar{{Name: retired, Value: "1"}}
	return d
}

// noRetired is against pods with that variable.
var noRetired = admissionregistrationv1.Validation{
	Expression: "!object.spec.template.spec.containers.exists(c, has(c.env) && c.env.exists(e, e.name == '" + retired + "'))",
	Message:    "spec.template.spec.containers[0].env must not have " + retired,
}

// "If the revision exists, its template is used byte for byte", on
// a dry run too: what is tried is the template that would run, and not the one
// that would be derived today.
func TestDryRunTriesTheFrozenTemplate(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	createObject(t, builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Obj())
	readyHandler(t, ns, "a")
	changeObject(t, ns, "a", func(h *v1.GatiHandler) { h.Spec.Image = "app:v2.0.0" })
	readyHandler(t, ns, "a")
	awaitSettled(t, ns)
	ageRevision(t, ns, listRevisions(t, ns, "a")[0])
	// Its ConfigMap has gone with the revision, or has not, and comes back.
	awaitStill(t, "all of it", func() string { return fmt.Sprint(versionsIn(t, ns)) })

	back := func() error {
		h := readObject[v1.GatiHandler](t, ns, "a")
		h.Spec.Image = "app:v1.0.0"
		return admin.Update(t.Context(), h, client.DryRunAll)
	}
	before := versionsIn(t, ns)
	if err := back(); err != nil {
		t.Fatalf("going back is refused while nothing is against the old template: %v", err)
	}
	t.Run("a policy on Deployments", func(t *testing.T) {
		putPolicy(noRetired, withRetired())(t, ns)
		checkRefused(t, back, "spec.env", "Deployment handler-a is refused by the API server")
		h := readObject[v1.GatiHandler](t, ns, "a")
		h.Spec.Image = "app:v3.0.0"
		if err := admin.Update(t.Context(), h, client.DryRunAll); err != nil {
			t.Errorf("an image that no revision is of is refused: %v", err)
		}
		removePolicy(t, ns)
		await.Eventually(t, "dry run that passes without it", back)
	})
	t.Run("the Pod Security level", func(t *testing.T) {
		putLevel(t, ns)
		checkRefused(t, back, "spec.pod", `violates PodSecurity "restricted`)
		removeLevel(t, ns)
		await.Eventually(t, "dry run that passes without it", back)
	})
	checkSameVersions(t, ns, before)
}

// ageRevision puts a revision in place of one that does not run, with the same inputs and
// a template as an earlier release would have derived it.
func ageRevision(t *testing.T, ns string, cr appsv1.ControllerRevision) {
	t.Helper()
	frozen, err := expand.ReadRevision(&cr, readObject[v1.GatiHandler](t, ns, "a"))
	if err != nil {
		t.Fatal(err)
	}
	container := &frozen.Template.Spec.Containers[0]
	container.Env = append(container.Env, corev1.EnvVar{Name: retired, Value: "1"})
	metav1.SetMetaDataAnnotation(&frozen.Template.ObjectMeta, "container.apparmor.security.beta.kubernetes.io/"+container.Name, "unconfined")
	old := cr.DeepCopy()
	old.ResourceVersion, old.UID, old.ManagedFields = "", "", nil
	if old.Data.Raw, err = json.Marshal(frozen); err != nil {
		t.Fatal(err)
	}
	removeObject[appsv1.ControllerRevision](t, ns, cr.Name)
	if err := asGati(t).Create(t.Context(), old); err != nil {
		t.Fatal(err)
	}
}

// asGati returns the client of gati-webhook's account, which alone may write revisions.
func asGati(t *testing.T) client.Client {
	t.Helper()
	config, err := cluster.Admin()
	if err != nil {
		t.Fatal(err)
	}
	config.Impersonate = rest.ImpersonationConfig{
		UserName: auditlog.ControllersAccount, Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + local.Namespace, "system:authenticated"},
	}
	c, err := client.New(config, client.Options{Scheme: kube.Scheme(), Mapper: admin.RESTMapper()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

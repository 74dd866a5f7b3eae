package security

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/test/support/auditlog"
	"gati.dev/gati/test/support/await"
)

// TestForgedRevisions writes ControllerRevisions with the labels and the owner of ours, whose
// template takes the node: as a user who may write apps/*, and with our own account, which
// the policy lets pass.
func TestForgedRevisions(t *testing.T) {
	const ns = "forged"
	owner := makeTenant(t, ns)
	thief := makeDeployer(t, ns)
	robber := clientOf(t, auditlog.ControllersAccount, "system:serviceaccounts", "system:serviceaccounts:gati-system")
	names := map[string]func(*expand.Revision){
		"privileged": takeNode,
		"bare":       func(r *expand.Revision) { r.Template.Labels = nil },
		"stranger":   func(r *expand.Revision) { r.Template.Spec.ServiceAccountName = "admin" },
	}
	for name := range names {
		mustCreate(t, owner, builders.MakeHandler(name).Namespace(ns).Image("app:v1.0.0").Obj())
	}
	for name := range names {
		awaitTemplate(t, ns, name, "app:v1.0.0")
	}

	t.Run("as a deployer", func(t *testing.T) { forgeAsDeployer(t, thief, ns, "privileged") })

	for name, change := range names {
		logAttempt(t, "with the token of our account, a revision of handler %s is written before the handler asks for it: its inputs, name and labels are right, its template is not", name)
		h := readHandler(t, ns, name)
		h.Spec.Image = "app:v2.0.0"
		mustCreate(t, robber, forgeRevision(t, h, change))
		askImage(t, owner, ns, name, "app:v2.0.0")
	}
	for name, want := range map[string]struct{ serves, problem string }{
		"privileged": {"app:v1.5.0", "does not hold a pod template of Gati: template.spec.containers[0].securityContext.privileged is not allowed"},
		"bare":       {"app:v1.0.0", "does not hold a pod template of Gati: template.metadata.labels[app.kubernetes.io/instance]"},
		"stranger":   {"app:v1.0.0", "does not have the template of its inputs: the spec does not have spec.pod.serviceAccountName: ServiceAccount admin"},
	} {
		awaitCondition(t, ns, name, v1.ConditionStalled, want.problem)
		checkTemplate(t, ns, name, want.serves)
		deleteForged(t, thief, ns, name, "app:v2.0.0")
	}
	for name := range names {
		awaitTemplate(t, ns, name, "app:v2.0.0")
	}
	logDefence(t, "none of them ran; the handlers name the revision and the field, and go on once it is deleted")
}

// takeNode gives a template everything that takes a node.
func takeNode(r *expand.Revision) {
	spec := &r.Template.Spec
	spec.HostPID, spec.HostNetwork, spec.ServiceAccountName = true, true, "admin"
	spec.Containers[0].SecurityContext.Privileged = ptr.To(true)
	spec.Volumes = append(spec.Volumes, corev1.Volume{Name: "host", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/"}}})
}

// forgeAsDeployer tries every way to a revision of a handler.
func forgeAsDeployer(t *testing.T, thief client.Client, ns, name string) {
	ours := revisionOf(t, ns, name)
	logAttempt(t, "a revision of ours is deleted, and a forged one is created in its place")
	if err := thief.Delete(t.Context(), ours); err != nil {
		t.Fatalf("deletion is left to RBAC: %v", err)
	}
	checkOurs(t, thief.Create(t.Context(), forgeRevision(t, readHandler(t, ns, name), takeNode)))
	logDefence(t, "only our account creates one")
	awaitRevision(t, ns, ours.Name)

	logAttempt(t, "labels, schema and owner of a revision of ours are changed")
	for _, patch := range []string{
		`{"metadata":{"labels":{"gati.dev/inputs":"0000000000000000"}}}`,
		`{"metadata":{"annotations":{"gati.dev/schema":"{}"}}}`,
		`{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"c","uid":"c"}]}}`,
		`{"revision":7}`,
	} {
		checkOurs(t, thief.Patch(t.Context(), &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: ours.Name}}, client.RawPatch("application/merge-patch+json", []byte(patch))))
	}
	logDefence(t, "only our account changes one")

	logAttempt(t, "a forged revision names the handler's uid as that of a Deployment, which the policy does not know")
	h := readHandler(t, ns, name)
	h.Spec.Image = "app:v1.5.0"
	hidden := forgeRevision(t, h, takeNode)
	hidden.OwnerReferences[0].APIVersion, hidden.OwnerReferences[0].Kind = "apps/v1", "Deployment"
	mustCreate(t, thief, hidden)
	askImage(t, admin, ns, name, "app:v1.5.0")
	// The garbage collector deletes it in time: there is no such Deployment.
	awaitTemplate(t, ns, name, "app:v1.5.0")
	logDefence(t, "it is another owner's: nothing runs it, and the handler goes on when it is gone")
}

func checkOurs(t *testing.T, err error) {
	t.Helper()
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "is written by Gati alone") {
		t.Errorf("it was not refused by the policy: %v", err)
	}
}

// forgeRevision returns the revision that a handler would have, with another content.
func forgeRevision(t *testing.T, h *v1.GatiHandler, change func(*expand.Revision)) *appsv1.ControllerRevision {
	t.Helper()
	f := facts.Facts{Namespace: h.Namespace}
	resolved, errs := defaulting.ResolveHandler(&h.Spec, f)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	r := expand.NewHandlerRevision(h, resolved, expand.HandlerInputs(&h.Spec, f), 2, nil)
	out, err := expand.HandlerRevisionObject(h, r)
	if err != nil {
		t.Fatal(err)
	}
	change(&r)
	if out.Data.Raw, err = json.Marshal(r); err != nil {
		t.Fatal(err)
	}
	return out
}

// revisionOf returns the one revision of a handler.
func revisionOf(t *testing.T, ns, name string) *appsv1.ControllerRevision {
	t.Helper()
	var list appsv1.ControllerRevisionList
	if err := admin.List(t.Context(), &list, client.InNamespace(ns), client.MatchingLabels{v1.LabelHandler: name}); err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != 1 {
		t.Fatalf("%d revisions of %s", len(list.Items), name)
	}
	return &list.Items[0]
}

func awaitRevision(t *testing.T, ns, name string) {
	t.Helper()
	await.Eventually(t, "revision "+name+" written again", func() error {
		return admin.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: name}, &appsv1.ControllerRevision{})
	})
}

func askImage(t *testing.T, c client.Client, ns, name, image string) {
	t.Helper()
	h := &v1.GatiHandler{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}}
	if err := c.Patch(t.Context(), h, client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"spec":{"image":%q}}`, image))); err != nil {
		t.Fatal(err)
	}
}

// deleteForged deletes the revision of an image, and asks the handler to look again.
func deleteForged(t *testing.T, c client.Client, ns, name, image string) {
	t.Helper()
	h := readHandler(t, ns, name)
	h.Spec.Image = image
	forged := forgeRevision(t, h, func(*expand.Revision) {})
	if err := c.Delete(t.Context(), forged); err != nil {
		t.Fatal(err)
	}
}

// awaitTemplate waits until the Deployment of a handler runs an image, in a harmless pod.
func awaitTemplate(t *testing.T, ns, name, image string) {
	t.Helper()
	await.Eventually(t, "Deployment of "+name+" with "+image, func() error {
		var d appsv1.Deployment
		if err := admin.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "handler-" + name}, &d); err != nil {
			return err
		}
		if got := d.Spec.Template.Spec.Containers[0].Image; got != image {
			return fmt.Errorf("it runs %s", got)
		}
		return nil
	})
	checkTemplate(t, ns, name, image)
}

// checkTemplate holds that the Deployment of a handler runs an image, and takes nothing.
func checkTemplate(t *testing.T, ns, name, image string) {
	t.Helper()
	var d appsv1.Deployment
	if err := admin.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "handler-" + name}, &d); err != nil {
		t.Fatal(err)
	}
	if got := d.Spec.Template.Spec.Containers[0].Image; got != image {
		t.Errorf("%s runs %s, want %s", name, got, image)
	}
	if err := isHarmless(&d.Spec.Template.Spec); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// isHarmless returns what a pod takes beside its own container.
func isHarmless(s *corev1.PodSpec) error {
	var errs []error
	if s.HostPID || s.HostNetwork || s.HostIPC || s.NodeName != "" {
		errs = append(errs, errors.New("it is the node's"))
	}
	if s.ServiceAccountName != "" && s.ServiceAccountName != "default" || ptr.Deref(s.AutomountServiceAccountToken, true) {
		errs = append(errs, fmt.Errorf("it runs as %q, or has a token", s.ServiceAccountName))
	}
	for _, c := range s.Containers {
		if c.SecurityContext == nil || ptr.Deref(c.SecurityContext.Privileged, false) || ptr.Deref(c.SecurityContext.AllowPrivilegeEscalation, true) {
			errs = append(errs, errors.New("it is privileged"))
		}
	}
	for _, v := range s.Volumes {
		if v.EmptyDir == nil && (v.ConfigMap == nil || !strings.HasSuffix(v.ConfigMap.Name, "-transformers")) {
			errs = append(errs, fmt.Errorf("it mounts %s", v.Name))
		}
	}
	return errors.Join(errs...)
}

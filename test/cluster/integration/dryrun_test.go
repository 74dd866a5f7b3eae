package integration

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
)

// "apply --dry-run=server of a handler whose Deployment a
// ValidatingAdmissionPolicy, a quota or the Pod Security level refuses is refused
// with that message and the handler's field."
func TestDryRunTellsWhatTheAPIServerRefuses(t *testing.T) {
	t.Parallel()
	for _, o := range listObstacles() {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			ns := makeNamespace(t)
			o.put(t, ns)
			before := versionsIn(t, ns)
			checkRefused(t, func() error { return admin.Create(t.Context(), makeObstructed(ns, o), client.DryRunAll) }, o.field, o.text)
			checkSameVersions(t, ns, before)
			o.remove(t, ns)
			await.Eventually(t, "dry run that passes without it", func() error {
				return admin.Create(t.Context(), makeObstructed(ns, o), client.DryRunAll)
			})
			checkSameVersions(t, ns, versionsWithout(before, "ResourceQuota"))
		})
	}
}

// checkRefused checks that a dry run is refused at a field with a text. One for which
// there is no time passes with a warning, so it is repeated until it is refused.
func checkRefused(t *testing.T, dryRun func() error, field, text string) {
	t.Helper()
	var err error
	await.Eventually(t, "refusal at "+field, func() error {
		if err = dryRun(); err == nil {
			return errors.New("it passed")
		}
		if notReached(err) {
			return err
		}
		return nil
	})
	var status apierrors.APIStatus
	if !errors.As(err, &status) || !apierrors.IsInvalid(err) {
		t.Fatalf("got %v, want a refusal at %s", err, field)
	}
	t.Logf("%v", err)
	for _, cause := range status.Status().Details.Causes {
		if cause.Field == field && strings.Contains(cause.Message, text) {
			return
		}
	}
	t.Errorf("want %q at %s", text, field)
}

// An object under the name of a child, and what only the API server's own checks
// of a Deployment find.
func TestDryRunTellsOfNamesAndFields(t *testing.T) {
	t.Parallel()
	t.Run("a Service of that name", func(t *testing.T) {
		t.Parallel()
		ns := makeNamespace(t)
		createObject(t, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "handler-a"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}})
		before := versionsIn(t, ns)
		checkRefused(t, func() error { return admin.Create(t.Context(), foreignVictim(ns), client.DryRunAll) }, "metadata.name", "Service handler-a already exists")
		checkSameVersions(t, ns, before)
	})
	t.Run("affinity", func(t *testing.T) {
		t.Parallel()
		ns := makeNamespace(t)
		h := builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Pod(v1.PodSettings{Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "zone", Operator: corev1.NodeSelectorOpGt, Values: []string{"a", "b"}}},
			}}},
		}}}).Obj()
		checkRefused(t, func() error { return admin.Create(t.Context(), h.DeepCopy(), client.DryRunAll) }, "spec.pod.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.matchExpressions.values",
			"Deployment handler-a is refused by the API server")
	})
}

// A dry run of what is fine writes nothing: of a handler that is new, of one that
// exists, and of one whose image changes.
func TestDryRunWritesNothing(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	h := builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Replicas(2).Obj()
	before := versionsIn(t, ns)
	if err := admin.Create(t.Context(), h.DeepCopy(), client.DryRunAll); err != nil {
		t.Fatal(err)
	}
	checkSameVersions(t, ns, before)

	createObject(t, h)
	readyHandler(t, ns, "a")
	awaitSettled(t, ns)
	before = versionsIn(t, ns)
	for what, edit := range map[string]func(*v1.GatiHandlerSpec){
		"image":       func(s *v1.GatiHandlerSpec) { s.Image = "app:v2.0.0" },
		"replicas":    func(s *v1.GatiHandlerSpec) { s.Replicas = new(int32(5)) },
		"healthCheck": func(s *v1.GatiHandlerSpec) { s.HealthCheck = &v1.HealthCheck{Type: v1.HealthCheckTCP} },
		"autoscaling": func(s *v1.GatiHandlerSpec) { s.Autoscaling = &v1.Autoscaling{Enabled: new(true)} },
	} {
		live := readObject[v1.GatiHandler](t, ns, "a")
		edit(&live.Spec)
		if err := admin.Update(t.Context(), live, client.DryRunAll); err != nil {
			t.Errorf("a dry run with another %s is refused: %v", what, err)
		}
	}
	checkSameVersions(t, ns, before)
	checkAudit(t, ns, "dry-run", "passed")
}

// What cannot be found out does not count against the object: a webhook of others
// that does not support dry runs.
func TestDryRunThatCannotBeTriedWarns(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	fail, some := admissionregistrationv1.Fail, admissionregistrationv1.SideEffectClassNoneOnDryRun
	hook := &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: ns},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "nobody.example.com", FailurePolicy: &fail, SideEffects: &some, AdmissionReviewVersions: []string{"v1"},
			ClientConfig:      admissionregistrationv1.WebhookClientConfig{URL: new("https://127.0.0.1:1/nobody")},
			NamespaceSelector: inNamespace(ns),
			Rules:             ruleFor("", "v1", "services"),
		}},
	}
	createObject(t, hook)
	t.Cleanup(func() { _ = admin.Delete(context.Background(), hook) })
	await.Eventually(t, "a webhook without an endpoint", func() error {
		err := admin.Create(t.Context(), &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "x"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}, client.DryRunAll)
		if err == nil {
			return errors.New("it is not called yet")
		}
		return nil
	})
	out := runKubectl(t, ns, `{"apiVersion":"gati.dev/v1","kind":"GatiHandler","metadata":{"name":"a"},"spec":{"path":"/a","image":"app:v1.0.0"}}`,
		"apply", "--dry-run=server", "-f", "-")
	if err := checkContains(out, "Warning: Service was not tried", "gatihandler.gati.dev/a created (server dry run)"); err != nil {
		t.Error(err)
	}
	checkAudit(t, ns, "dry-run", "incomplete: Service")
}

func inNamespace(ns string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: ns}}
}

func ruleFor(group, version, resource string) []admissionregistrationv1.RuleWithOperations {
	return []admissionregistrationv1.RuleWithOperations{{
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
		Rule:       admissionregistrationv1.Rule{APIGroups: []string{group}, APIVersions: []string{version}, Resources: []string{resource}},
	}}
}

// checkAudit checks that the API server's audit log has an annotation of the
// validating webhook that begins with a text, for a request of a namespace.
func checkAudit(t *testing.T, ns, key, begins string) {
	t.Helper()
	var seen []string
	entries, err := auditOf(ns, func(e request) bool { return strings.HasPrefix(e.Object.Resource, "gati") })
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		value, there := e.Annotations["validate.gati.dev/"+key]
		if there && strings.HasPrefix(value, begins) {
			return
		}
		seen = append(seen, fmt.Sprint(e.Annotations))
	}
	t.Errorf("no request in %s has an audit annotation %s that begins with %q; there are %v", ns, key, begins, seen)
}

package integration

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/builders"
)

// obstacle is something of a cluster that refuses a child.
type obstacle struct {
	name string
	// put puts it into a namespace and waits until it works; remove takes it away.
	put    func(t *testing.T, ns string)
	remove func(t *testing.T, ns string)
	// change makes the handler one that it refuses.
	change func(*v1.GatiHandlerSpec)
	// field and text are what a dry run says.
	field, text string
}

func obstacles() []obstacle {
	return []obstacle{
		{
			name: "a policy on Deployments", put: putPolicy, remove: removePolicy,
			change: func(*v1.GatiHandlerSpec) {},
			field:  "spec.replicas", text: "spec.replicas has to be 1 here",
		},
		{
			name: "a quota on Deployments", put: putQuota("count/deployments.apps", "0"), remove: removeQuota,
			change: func(*v1.GatiHandlerSpec) {},
			field:  "spec", text: "exceeded quota: q",
		},
		{
			name: "a quota on the CPU of pods", put: putQuota("limits.cpu", "100m"), remove: removeQuota,
			change: func(*v1.GatiHandlerSpec) {},
			field:  "spec.resources", text: "exceeded quota: q, requested: limits.cpu=500m",
		},
		{
			name: "the Pod Security level", put: putLevel, remove: removeLevel,
			change: func(s *v1.GatiHandlerSpec) {
				s.Pod = &v1.PodSettings{Annotations: map[string]string{"container.apparmor.security.beta.kubernetes.io/handler": "unconfined"}}
			},
			field: "spec.pod", text: `violates PodSecurity "restricted`,
		},
	}
}

// obstructed is a handler with two pods.
func obstructed(ns string, o obstacle) *v1.GatiHandler {
	return builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Replicas(2).Spec(o.change).Obj()
}

// "apply --dry-run=server of a handler whose Deployment a
// ValidatingAdmissionPolicy, a quota or the Pod Security level refuses is refused
// with that message and the handler's field."
func TestDryRunTellsWhatTheAPIServerRefuses(t *testing.T) {
	t.Parallel()
	for _, o := range obstacles() {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			ns := namespace(t)
			o.put(t, ns)
			before := versionsIn(t, ns)
			err := admin.Create(t.Context(), obstructed(ns, o), client.DryRunAll)
			checkRefused(t, err, o.field, o.text)
			checkSameVersions(t, ns, before)
			o.remove(t, ns)
			eventually(t, "dry run that passes without it", func() error {
				return admin.Create(t.Context(), obstructed(ns, o), client.DryRunAll)
			})
			checkSameVersions(t, ns, versionsWithout(before, "ResourceQuota"))
		})
	}
}

// checkRefused checks that an object is refused at a field with a text.
func checkRefused(t *testing.T, err error, field, text string) {
	t.Helper()
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
		ns := namespace(t)
		create(t, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "handler-a"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}})
		before := versionsIn(t, ns)
		checkRefused(t, admin.Create(t.Context(), foreignVictim(ns), client.DryRunAll), "metadata.name", "Service handler-a exists and is not ours")
		checkSameVersions(t, ns, before)
	})
	t.Run("affinity", func(t *testing.T) {
		t.Parallel()
		ns := namespace(t)
		h := builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Pod(v1.PodSettings{Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "zone", Operator: corev1.NodeSelectorOpGt, Values: []string{"a", "b"}}},
			}}},
		}}}).Obj()
		err := admin.Create(t.Context(), h, client.DryRunAll)
		checkRefused(t, err, "spec.pod.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.matchExpressions.values",
			"Deployment handler-a is refused by the API server")
	})
}

// A dry run of what is fine writes nothing: of a handler that is new, of one that
// exists, and of one whose image changes.
func TestDryRunWritesNothing(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	h := builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Replicas(2).Obj()
	before := versionsIn(t, ns)
	if err := admin.Create(t.Context(), h.DeepCopy(), client.DryRunAll); err != nil {
		t.Fatal(err)
	}
	checkSameVersions(t, ns, before)

	create(t, h)
	readyHandler(t, ns, "a")
	settled(t, ns)
	before = versionsIn(t, ns)
	for what, edit := range map[string]func(*v1.GatiHandlerSpec){
		"image":       func(s *v1.GatiHandlerSpec) { s.Image = "app:v2.0.0" },
		"replicas":    func(s *v1.GatiHandlerSpec) { s.Replicas = new(int32(5)) },
		"healthCheck": func(s *v1.GatiHandlerSpec) { s.HealthCheck = &v1.HealthCheck{Type: v1.HealthCheckTCP} },
		"autoscaling": func(s *v1.GatiHandlerSpec) { s.Autoscaling = &v1.Autoscaling{Enabled: new(true)} },
	} {
		live := read[v1.GatiHandler](t, ns, "a")
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
	ns := namespace(t)
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
	create(t, hook)
	t.Cleanup(func() { _ = admin.Delete(context.Background(), hook) })
	eventually(t, "a webhook that nobody answers for", func() error {
		err := admin.Create(t.Context(), &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "x"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}, client.DryRunAll)
		if err == nil {
			return errors.New("it is not called yet")
		}
		return nil
	})
	out := kubectl(t, ns, `{"apiVersion":"gati.dev/v1","kind":"GatiHandler","metadata":{"name":"a"},"spec":{"path":"/a","image":"app:v1.0.0"}}`,
		"apply", "--dry-run=server", "-f", "-")
	if err := contains(out, "Warning: Service was not tried", "gatihandler.gati.dev/a created (server dry run)"); err != nil {
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

// putPolicy refuses Deployments of more than one replica.
func putPolicy(t *testing.T, ns string) {
	t.Helper()
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: ns},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: ruleFor("apps", "v1", "deployments")[0]}}},
			Validations:      []admissionregistrationv1.Validation{{Expression: "object.spec.replicas <= 1", Message: "spec.replicas has to be 1 here"}},
		},
	}
	binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: ns},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: ns, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
			MatchResources: &admissionregistrationv1.MatchResources{NamespaceSelector: inNamespace(ns)},
		},
	}
	create(t, policy)
	create(t, binding)
	t.Cleanup(func() {
		_ = admin.Delete(context.Background(), binding)
		_ = admin.Delete(context.Background(), policy)
	})
	refusesDeployments(t, ns)
}

func removePolicy(t *testing.T, ns string) {
	t.Helper()
	remove[admissionregistrationv1.ValidatingAdmissionPolicyBinding](t, "", ns)
}

// refusesDeployments waits until a Deployment of two replicas is refused.
func refusesDeployments(t *testing.T, ns string) {
	t.Helper()
	labels := map[string]string{"a": "b"}
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "probe"},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(2)), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "c"}}}},
		},
	}
	eventually(t, "a refusal of Deployments", func() error {
		if err := admin.Create(t.Context(), d.DeepCopy(), client.DryRunAll); err == nil {
			return errors.New("one is let through")
		}
		return nil
	})
}

// putQuota limits a resource of a namespace.
func putQuota(name corev1.ResourceName, most string) func(*testing.T, string) {
	return func(t *testing.T, ns string) {
		t.Helper()
		create(t, &corev1.ResourceQuota{
			ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "q"},
			Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{name: resource.MustParse(most)}},
		})
		eventually(t, "a quota that counts", func() error {
			q, err := find[corev1.ResourceQuota](t, ns, "q")
			if err == nil && len(q.Status.Used) == 0 {
				err = errors.New("nothing is counted yet")
			}
			return err
		})
		// Pods get the account of the namespace, which another controller makes.
		eventually(t, "a default account", func() error { _, err := find[corev1.ServiceAccount](t, ns, "default"); return err })
	}
}

func removeQuota(t *testing.T, ns string) {
	t.Helper()
	remove[corev1.ResourceQuota](t, ns, "q")
}

const levelLabel = "pod-security.kubernetes.io/enforce"

func putLevel(t *testing.T, ns string) {
	t.Helper()
	change(t, "", ns, func(n *corev1.Namespace) { n.Labels[levelLabel] = "restricted" })
	eventually(t, "a default account", func() error { _, err := find[corev1.ServiceAccount](t, ns, "default"); return err })
}

func removeLevel(t *testing.T, ns string) {
	t.Helper()
	change(t, "", ns, func(n *corev1.Namespace) { delete(n.Labels, levelLabel) })
}

// versionsIn returns the resourceVersion of every object of a namespace, which is
// the revision of etcd that wrote it: of every kind that the API server serves,
// but for Events and what every namespace is given some time after it was made.
func versionsIn(t *testing.T, ns string) map[string]string {
	t.Helper()
	config, err := cluster.Admin()
	if err != nil {
		t.Fatal(err)
	}
	lists, err := discovery.NewDiscoveryClientForConfigOrDie(config).ServerPreferredNamespacedResources()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, l := range lists {
		for _, r := range l.APIResources {
			if slices.Contains(r.Verbs, "list") && r.Kind != "Event" && r.Kind != "ServiceAccount" {
				addVersions(t, out, ns, schema.FromAPIVersionAndKind(l.GroupVersion, r.Kind))
			}
		}
	}
	return out
}

func addVersions(t *testing.T, out map[string]string, ns string, kind schema.GroupVersionKind) {
	t.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(kind)
	if err := admin.List(t.Context(), list, client.InNamespace(ns)); err != nil {
		t.Fatalf("list %s: %v", kind, err)
	}
	for _, o := range list.Items {
		if !strings.HasSuffix(o.GetName(), "kube-root-ca.crt") {
			out[kind.Kind+" "+o.GetName()] = o.GetResourceVersion()
		}
	}
}

func versionsWithout(versions map[string]string, kind string) map[string]string {
	out := maps.Clone(versions)
	maps.DeleteFunc(out, func(key, _ string) bool { return strings.HasPrefix(key, kind+" ") })
	return out
}

func checkSameVersions(t *testing.T, ns string, before map[string]string) {
	t.Helper()
	now := versionsIn(t, ns)
	for name, version := range now {
		if before[name] != version {
			t.Errorf("%s is at %s, it was at %q: a dry run wrote it", name, version, before[name])
		}
	}
	for name := range before {
		if _, there := now[name]; !there {
			t.Errorf("%s has gone", name)
		}
	}
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

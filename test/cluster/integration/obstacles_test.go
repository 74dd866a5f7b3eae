package integration

import (
	"context"
	"errors"
	"fmt"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
)

// obstacle is something of a cluster that refuses a child.
type obstacle struct {
	name string
	// put puts it into a namespace and waits until it works; remove takes it away.
	put    func(t *testing.T, ns string)
	remove func(t *testing.T, ns string)
	// pod are the settings of a container's pod that it refuses, nil where it
	// refuses others too.
	pod func(container string) *v1.PodSettings
	// field and text are what a dry run says, and condition is quoted afterwards.
	field, text, condition string
}

// listObstacles refuse handlers and modules alike.
func listObstacles() []obstacle {
	return []obstacle{
		{
			name: "a policy on Deployments", put: putPolicy(moreThanOne, makeTwoReplicas()), remove: removePolicy,
			field: "spec.replicas", text: "a policy, webhook or limit of the cluster forbids it", condition: "spec.replicas has to be 1 here",
		},
		{
			name: "a quota on Deployments", put: putQuota("count/deployments.apps", "0"), remove: removeQuota,
			field: "spec", text: "exceeded quota, requested: count/deployments.apps=1", condition: "exceeded quota: q",
		},
		{
			name: "a quota on the CPU of pods", put: putQuota("limits.cpu", "100m"), remove: removeQuota,
			field: "spec.resources", text: "exceeded quota, requested: limits.cpu=500m", condition: "exceeded quota: q, requested: limits.cpu=500m",
		},
		{
			name: "the Pod Security level", put: putLevel, remove: removeLevel,
			pod: func(container string) *v1.PodSettings {
				return &v1.PodSettings{Annotations: map[string]string{"container.apparmor.security.beta.kubernetes.io/" + container: "unconfined"}}
			},
			field: "spec.pod", text: `violates PodSecurity "restricted`, condition: `violates PodSecurity "restricted`,
		},
	}
}

// moduleObstacles are obstacles and what refuses children that handlers lack.
func moduleObstacles() []obstacle {
	policy := admissionregistrationv1.Validation{Expression: "object.spec.policyTypes.size() < 2", Message: "traffic is not ours to rule"}
	return append(listObstacles(), obstacle{
		name: "a policy on NetworkPolicies", put: putPolicy(policy, makeClosedPolicy()), remove: removePolicy,
		field: "spec.capabilities", text: "a policy, webhook or limit of the cluster forbids it", condition: "traffic is not ours to rule",
	})
}

// makeObstructed returns a handler with two pods.
func makeObstructed(ns string, o obstacle) *v1.GatiHandler {
	h := builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Replicas(2).Obj()
	if o.pod != nil {
		h.Spec.Pod = o.pod("handler")
	}
	return h
}

// obstructedModule is a module with two pods.
func obstructedModule(ns string, o obstacle) *v1.GatiModule {
	m := builders.MakeModule("m").Namespace(ns).ModuleName("m").Runtime("node:20").Image("m:v1.0.0").Replicas(2).Obj()
	if o.pod != nil {
		m.Spec.Pod = o.pod("module")
	}
	return m
}

// moreThanOne is against Deployments of more than one replica.
var moreThanOne = admissionregistrationv1.Validation{Expression: "object.spec.replicas <= 1", Message: "spec.replicas has to be 1 here"}

// putPolicy puts a policy into a namespace that refuses what does not fulfil a
// rule, of the kind of an object that does not.
func putPolicy(rule admissionregistrationv1.Validation, refused client.Object) func(*testing.T, string) {
	return func(t *testing.T, ns string) {
		t.Helper()
		gvk, err := admin.GroupVersionKindFor(refused)
		if err != nil {
			t.Fatal(err)
		}
		mapping, err := admin.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
		if err != nil {
			t.Fatal(err)
		}
		on := mapping.Resource
		policy := &admissionregistrationv1.ValidatingAdmissionPolicy{
			ObjectMeta: metav1.ObjectMeta{Name: ns},
			Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
				MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: ruleFor(on.Group, on.Version, on.Resource)[0]}}},
				Validations:      []admissionregistrationv1.Validation{rule},
			},
		}
		binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
			ObjectMeta: metav1.ObjectMeta{Name: ns},
			Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
				PolicyName: ns, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
				MatchResources: &admissionregistrationv1.MatchResources{NamespaceSelector: inNamespace(ns)},
			},
		}
		createObject(t, policy)
		createObject(t, binding)
		t.Cleanup(func() {
			_ = admin.Delete(context.Background(), binding)
			_ = admin.Delete(context.Background(), policy)
		})
		await.Eventually(t, "a refusal by the policy", func() error {
			probe := refused.DeepCopyObject().(client.Object)
			probe.SetNamespace(ns)
			if err := admin.Create(t.Context(), probe, client.DryRunAll); err == nil {
				return fmt.Errorf("%s is let through", gvk.Kind)
			}
			return nil
		})
	}
}

func removePolicy(t *testing.T, ns string) {
	t.Helper()
	removeObject[admissionregistrationv1.ValidatingAdmissionPolicyBinding](t, "", ns)
}

// makeTwoReplicas returns a Deployment of two replicas.
func makeTwoReplicas() *appsv1.Deployment {
	labels := map[string]string{"a": "b"}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "probe"},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(2)), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "c"}}}},
		},
	}
}

// makeClosedPolicy returns a NetworkPolicy on traffic in both directions.
func makeClosedPolicy() *networkingv1.NetworkPolicy {
	return &networkingv1.NetworkPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "probe"},
		Spec:       networkingv1.NetworkPolicySpec{PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress}},
	}
}

// putQuota limits a resource of a namespace.
func putQuota(name corev1.ResourceName, most string) func(*testing.T, string) {
	return func(t *testing.T, ns string) {
		t.Helper()
		createObject(t, &corev1.ResourceQuota{
			ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "q"},
			Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{name: resource.MustParse(most)}},
		})
		await.Eventually(t, "a quota that counts", func() error {
			q, err := findObject[corev1.ResourceQuota](t, ns, "q")
			if err == nil && len(q.Status.Used) == 0 {
				err = errors.New("nothing is counted yet")
			}
			return err
		})
		// Pods get the account of the namespace, which another controller makes.
		await.Eventually(t, "a default account", func() error { _, err := findObject[corev1.ServiceAccount](t, ns, "default"); return err })
	}
}

func removeQuota(t *testing.T, ns string) {
	t.Helper()
	removeObject[corev1.ResourceQuota](t, ns, "q")
}

const levelLabel = "pod-security.kubernetes.io/enforce"

func putLevel(t *testing.T, ns string) {
	t.Helper()
	changeObject(t, "", ns, func(n *corev1.Namespace) { n.Labels[levelLabel] = "restricted" })
	await.Eventually(t, "a default account", func() error { _, err := findObject[corev1.ServiceAccount](t, ns, "default"); return err })
}

func removeLevel(t *testing.T, ns string) {
	t.Helper()
	changeObject(t, "", ns, func(n *corev1.Namespace) { delete(n.Labels, levelLabel) })
}

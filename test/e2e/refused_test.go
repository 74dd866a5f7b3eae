package e2e

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A child that cannot be written keeps no traffic with a version that is taken back.
func TestARollbackWhileAnotherWebhookRefuses(t *testing.T) {
	given, when, then := scenario(t)

	given.aHandler(setReplicas(2), useCanary)
	given.steadyTraffic(50)
	when.applyChanges(setImage("v1.1.0"))
	then.theShareIs("v1.1.0", 10)
	when.requestWithPlugin("promote")
	then.theShareIs("v1.1.0", 50)
	end := when.anotherWebhookRefusesDeployments()
	when.requestWithPlugin("rollback")
	then.theShareIs("v1.1.0", 0)
	then.itsPodsServe()
	end()
	then.itsPodsServe()
	then.noRequestHasFailed(2000)
	then.answersCameFrom("v1.0.0", "v1.1.0")
}

// anotherWebhookRefusesDeployments has the API server ask a webhook that is not there
// about each Deployment of the namespace, and returns what ends that.
func (w when) anotherWebhookRefusesDeployments() (end func()) {
	w.t.Helper()
	url, fail, none, seconds := "https://127.0.0.1:1/refuse", admissionv1.Fail, admissionv1.SideEffectClassNone, int32(1)
	refusal := &admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "refuse-" + w.ns},
		Webhooks: []admissionv1.ValidatingWebhook{{
			Name: "deployments.example.com", ClientConfig: admissionv1.WebhookClientConfig{URL: &url},
			FailurePolicy: &fail, SideEffects: &none, TimeoutSeconds: &seconds, AdmissionReviewVersions: []string{"v1"},
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: w.ns}},
			Rules: []admissionv1.RuleWithOperations{{
				Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update},
				Rule:       admissionv1.Rule{APIGroups: []string{"apps"}, APIVersions: []string{"v1"}, Resources: []string{"deployments"}},
			}},
		}},
	}
	if err := admin.Create(w.t.Context(), refusal); err != nil {
		w.t.Fatal(err)
	}
	remove := func() {
		if err := client.IgnoreNotFound(admin.Delete(context.Background(), refusal)); err != nil {
			w.t.Error(err)
		}
	}
	w.t.Cleanup(remove)
	w.eventually("refusal of Deployments", func() error { return w.isRefused() })
	w.logStep("when another webhook refuses Deployments")
	return remove
}

// isRefused returns nil once the API server asks the webhook that is not there.
func (w when) isRefused() error {
	var list appsv1.DeploymentList
	if err := admin.List(w.t.Context(), &list, client.InNamespace(w.ns)); err != nil {
		return err
	}
	if len(list.Items) == 0 {
		return errors.New("there is no Deployment")
	}
	d := &list.Items[0]
	if err := admin.Update(w.t.Context(), d, client.DryRunAll); err == nil || !strings.Contains(err.Error(), "failed calling webhook") {
		return cmp.Or(err, errors.New("a dry run passes"))
	}
	return nil
}

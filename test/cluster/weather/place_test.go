package weather

import (
	"context"
	"fmt"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/gateway"
)

// place is a namespace with a gateway and its handlers.
type place struct {
	ns, gateway string
	handlers    []string
}

func newPlace(t *testing.T, ns string) *place {
	t.Helper()
	p := &place{ns: ns, gateway: "gw-" + ns}
	gateways.Set(p.gateway, gateway.Behavior{})
	env.Namespace(t, ns)
	return p
}

// addHandler makes a handler; its number decides on its strategy.
func (p *place) addHandler(t *testing.T, name string, number int) {
	t.Helper()
	h := builders.MakeHandler(name).Namespace(p.ns).Path("/" + name).Image("app:v1").Replicas(2).Spec(setShortTimes)
	switch number % 4 {
	case 0:
		h.Strategy(v1.StrategyRollingUpdate).Gateway(p.gateway)
	case 1:
		h.Strategy(v1.StrategyCanary).Gateway(p.gateway).Step(10, "1s").Step(50, "2s").Step(100, "")
	case 2:
		h.Strategy(v1.StrategyCanary).Step(50, "2s").Step(100, "")
	case 3:
		h.Strategy(v1.StrategyManual).Gateway(p.gateway)
	}
	if err := admin.Create(t.Context(), h.Obj()); err != nil {
		t.Fatal(err)
	}
	p.handlers = append(p.handlers, name)
}

// setShortTimes makes everything that takes time take seconds.
func setShortTimes(s *v1.GatiHandlerSpec) {
	s.Rollout = &v1.Rollout{RollbackWindow: "3s", ProgressDeadline: "20s"}
	s.Versions = &v1.VersionPolicy{MinAge: "1s", Drain: &v1.Drain{Window: "1s", Deadline: "3s"}}
}

// makeQuota leaves no room for pods in the namespace.
func (p *place) makeQuota() *corev1.ResourceQuota {
	return &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.ns, Name: "full"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("0")}},
	}
}

// makeRefusingWebhook returns a webhook of others that refuses Deployments of the namespace: nothing
// listens where it is.
func (p *place) makeRefusingWebhook() *admissionv1.ValidatingWebhookConfiguration {
	url, fail, none, wait := "https://127.0.0.1:1/refuse", admissionv1.Fail, admissionv1.SideEffectClassNone, int32(1)
	return &admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "refuse-" + p.ns},
		Webhooks: []admissionv1.ValidatingWebhook{{
			Name: "deployments.example.com", ClientConfig: admissionv1.WebhookClientConfig{URL: &url},
			FailurePolicy: &fail, SideEffects: &none, TimeoutSeconds: &wait, AdmissionReviewVersions: []string{"v1"},
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: p.ns}},
			Rules: []admissionv1.RuleWithOperations{{
				Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update},
				Rule:       admissionv1.Rule{APIGroups: []string{"apps"}, APIVersions: []string{"v1"}, Resources: []string{"deployments"}},
			}},
		}},
	}
}

// clearUp removes what stands in the way, and resumes what was paused.
func (p *place) clearUp(t *testing.T) {
	t.Helper()
	gateways.Set(p.gateway, gateway.Behavior{})
	await.Eventually(t, "a clear sky over "+p.ns, func() error {
		for _, obj := range []client.Object{p.makeQuota(), p.makeRefusingWebhook()} {
			if err := client.IgnoreNotFound(admin.Delete(t.Context(), obj)); err != nil {
				return err
			}
		}
		return p.resumeRollouts(t.Context())
	})
}

// resumeRollouts thaws what is frozen, and promotes what waits for that.
func (p *place) resumeRollouts(ctx context.Context) error {
	var list v1.GatiHandlerList
	if err := admin.List(ctx, &list, client.InNamespace(p.ns)); err != nil {
		return err
	}
	for i := range list.Items {
		h := &list.Items[i]
		if h.Status.Rollout == nil || h.Status.Rollout.Frozen == nil {
			continue
		}
		if err := patchRequest(ctx, h, "resume"); err != nil {
			return err
		}
		return fmt.Errorf("%s was frozen", h.Name)
	}
	return nil
}

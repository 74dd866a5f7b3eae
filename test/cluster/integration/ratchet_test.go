package integration

import (
	"context"
	"errors"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/local"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
)

// withoutWebhook lets a test do something while the validating configuration is
// removed, and puts it back.
func withoutWebhook(t *testing.T, do func()) {
	t.Helper()
	config := &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: local.Account}}
	if err := admin.Delete(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	defer func() {
		reinstall(t)
		await.Eventually(t, "a refusal of what is faulty", func() error {
			err := admin.Create(context.Background(), builders.MakeHandler("probe").Namespace("default").Obj(), client.DryRunAll)
			if err == nil {
				return errors.New("it was admitted")
			}
			return checkContains(err.Error(), "spec.image")
		})
	}()
	await.Eventually(t, "a configuration that is not asked any more", func() error {
		return admin.Create(t.Context(), builders.MakeHandler("probe").Namespace("default").Obj(), client.DryRunAll)
	})
	do()
}

// With the validating configuration removed, a change that is faulty is stored, told and not
// acted upon, until it is mended. test/cluster/badfiles stores every new object that is
// faulty, and compares its condition with the refusal.
func TestBreakGlassActsOnNoFault(t *testing.T) {
	ns := makeNamespace(t)
	createObject(t, builders.MakeHandler("running").Namespace(ns).Image("app:v1.0.0").Obj())
	readyHandler(t, ns, "running")
	awaitSettled(t, ns)
	before, deployment := versionsIn(t, ns), readObject[appsv1.Deployment](t, ns, "handler-running")
	withoutWebhook(t, func() {
		changeObject(t, ns, "running", func(h *v1.GatiHandler) {
			h.Spec.Rollout.Steps = []v1.RolloutStep{{Weight: 50}, {Weight: 10}}
			h.Spec.Image = "app:v2.0.0"
		})
		stalledHandler(t, ns, "running", "Nothing was changed", "spec.rollout.steps[1].weight")
	})
	awaitSettled(t, ns)
	checkRunsOn(t, ns, "handler-running", deployment)
	for name := range versionsIn(t, ns) {
		if _, was := before[name]; !was && !strings.HasPrefix(name, "Gati") {
			t.Errorf("%s has come of what is faulty", name)
		}
	}
	changeObject(t, ns, "running", func(h *v1.GatiHandler) { h.Spec.Rollout.Steps = nil })
	readyHandler(t, ns, "running")
}

// "On update, faults in unchanged parts are warnings (ratcheting); objects being
// deleted … pass".
func TestStoredFaultsDoNotLockAnybodyOut(t *testing.T) {
	ns := makeNamespace(t)
	withoutWebhook(t, func() {
		createObject(t, builders.MakeHandler("a").Namespace(ns).Step(50, "1m").Step(10, "1m").Obj()) // and without an image
		createObject(t, builders.MakeModule("m").Namespace(ns).ModuleName("m").Runtime("node:20").Obj())
	})
	out := runKubectl(t, ns, "", "patch", "gh/a", "--type=merge", "-p", `{"spec":{"replicas":3}}`)
	if err := checkContains(out, "Warning: spec.rollout.steps[1].weight: ", "Warning: spec.image: ", "patched"); err != nil {
		t.Error(err)
	}
	out = runKubectl(t, ns, "", "patch", "gm/m", "--type=merge", "-p", `{"spec":{"replicas":3}}`)
	if err := checkContains(out, "Warning: spec.image: ", "patched"); err != nil {
		t.Error(err)
	}
	if out, err := cluster.Run(t.Context(), "", "-n", ns, "patch", "gh/a", "--type=merge", "-p", `{"spec":{"path":"no/slash"}}`); err == nil {
		t.Errorf("a new fault passes because of the old ones: %s", out)
	}
	// One fault is mended, the other stays a warning.
	runKubectl(t, ns, "", "patch", "gh/a", "--type=merge", "-p", `{"spec":{"image":"app:v1.0.0"}}`)
	if out, err := cluster.Run(t.Context(), "", "-n", ns, "patch", "gh/a", "--type=merge", "-p", `{"spec":{"image":null}}`); err == nil {
		t.Errorf("a fault that was mended comes back: %s", out)
	}
	checkAudit(t, ns, "verdict", "admitted")
	checkAudit(t, ns, "verdict", "refused")

	changeObject(t, ns, "a", func(h *v1.GatiHandler) { h.Finalizers = []string{"test.gati.dev/keep"} })
	removeObject[v1.GatiHandler](t, ns, "a")
	runKubectl(t, ns, "", "patch", "gh/a", "--type=merge", "-p", `{"spec":{"path":"/other"}}`)
	changeObject(t, ns, "a", func(h *v1.GatiHandler) { h.Finalizers = nil })
	await.Eventually(t, "a handler that is gone", func() error {
		if _, err := findObject[v1.GatiHandler](t, ns, "a"); err == nil {
			return errors.New("it is there")
		}
		return nil
	})
}

// What admission found is in the API server's audit log: the verdict and the
// plan.
func TestAdmissionIsAudited(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	h := builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Obj()
	createObject(t, h)
	checkAudit(t, ns, "verdict", "admitted")
	checkAudit(t, ns, "plan", h.Annotations[v1.AnnotationPlan])
	checkAudit(t, ns, "children", "3")
}

package integration

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/local"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
)

// "With gati-webhook down: v1 requests get CEL's messages for what CEL can say,
// failed calling webhook for other spec writes, and metadata writes … and /scale
// pass; v1alpha1 requests … fail with the conversion error".
// Reads of v1alpha1 are left out: the API server may still know the answer.
func TestWhatPassesWhileWebhookIsDown(t *testing.T) {
	ns := makeNamespace(t)
	createObject(t, builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Obj())
	readyHandler(t, ns, "a")

	stopWebhook(t)

	refused := func(what string, err error, text string) {
		t.Helper()
		if err == nil {
			t.Errorf("%s passed, want a refusal with %q", what, text)
			return
		}
		if err := checkContains(err.Error(), text); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	refused("a new handler", admin.Create(t.Context(), builders.MakeHandler("b").Namespace(ns).Image("app:v1.0.0").Obj()), "failed calling webhook")
	refused("a new spec", applyObject(t.Context(), builders.MakeHandler("a").Namespace(ns).Image("app:v2.0.0").Obj(), "kubectl"), "failed calling webhook")
	refused("a faulty handler", admin.Create(t.Context(), builders.MakeHandler("b").Namespace(ns).Image("app:v1.0.0").Autoscale(5, 2).Obj()), "spec.autoscaling.minReplicas")
	_, err := cluster.Run(t.Context(), "", "-n", ns, "create", "-f", inVersion(t, sampleSummary, ns, "v1alpha1").path)
	refused("a new handler of v1alpha1", err, "conversion webhook")

	runKubectl(t, ns, "", "label", "gh/a", "team=users")
	runKubectl(t, ns, "", "scale", "gh/a", "--replicas=3")
	runKubectl(t, ns, "", "get", "gatihandlers.v1.gati.dev")
	lost := readObject[v1.GatiVersion](t, ns, "a-v1-0-0")
	removeObject[v1.GatiVersion](t, ns, lost.Name)
	startWebhook(t)
	await.Eventually(t, "record of the running version, written again", func() error {
		record, err := findObject[v1.GatiVersion](t, ns, lost.Name)
		if err == nil && record.UID == lost.UID {
			return errors.New("it is the one that was deleted")
		}
		return err
	})
	h := readyHandler(t, ns, "a")
	if *h.Spec.Replicas != 3 || h.Labels["team"] != "users" || h.Spec.Image != "app:v1.0.0" {
		t.Errorf("after the outage it has %d replicas of %s and the labels %v, want 3 of app:v1.0.0 and team=users", *h.Spec.Replicas, h.Spec.Image, h.Labels)
	}
	awaitReplicas(t, ns, "handler-a", 3)
}

// "With the ValidatingWebhookConfiguration removed (break-glass) objects are
// stored unchecked: the controller runs every check … before it expands anything,
// and shows the same message as a condition".
func TestBreakGlassShowsTheSameMessageAsACondition(t *testing.T) {
	ns := makeNamespace(t)
	faulty := func() client.Object { return builders.MakeHandler("a").Namespace(ns).Obj() }
	refusal := admin.Create(t.Context(), faulty())
	if refusal == nil {
		t.Fatal("a handler without an image was admitted")
	}
	// What follows the field is the message: Required value: …
	_, message, found := strings.Cut(refusal.Error(), "spec.image: ")
	if !found {
		t.Fatalf("the refusal does not name spec.image: %v", refusal)
	}

	config := &admissionv1.ValidatingWebhookConfiguration{}
	config.Name = local.Account
	if err := admin.Delete(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reinstall(t) })
	await.Eventually(t, "faulty handler that is stored", func() error { return client.IgnoreAlreadyExists(admin.Create(t.Context(), faulty())) })

	h := stalledHandler(t, ns, "a", message)
	valid := meta.FindStatusCondition(h.Status.Conditions, v1.ConditionValid)
	if valid == nil || valid.Status != "False" {
		t.Errorf("condition Valid is %+v, want False", valid)
	}
	awaitSettled(t, ns)
	if left, err := listChildren(t.Context(), ns); err != nil || len(left) > 0 {
		t.Errorf("it has children all the same: %v (%v)", left, err)
	}

	reinstall(t)
	await.Eventually(t, "refusal of a faulty handler after the repair", func() error {
		again := builders.MakeHandler("b").Namespace(ns).Obj()
		err := admin.Create(t.Context(), again, client.DryRunAll)
		if err == nil {
			return errors.New("it was admitted")
		}
		return checkContains(err.Error(), message)
	})
	changeObject(t, ns, "a", func(h *v1.GatiHandler) { h.Spec.Image = "app:v1.0.0" })
	readyHandler(t, ns, "a")
}

// reinstall installs again, as an operator would; the running gati-webhook puts its
// CA into what it finds.
func reinstall(t *testing.T) {
	t.Helper()
	if _, err := local.Install(context.Background(), cluster, filepath.Dir(webhook.LogPath())); err != nil {
		t.Fatal(err)
	}
}

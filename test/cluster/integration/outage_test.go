package integration

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

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

// reinstall installs again, as an operator would; the running gati-webhook puts its
// CA into what it finds.
func reinstall(t *testing.T) {
	t.Helper()
	if _, err := local.Install(context.Background(), cluster, filepath.Dir(webhook.LogPath())); err != nil {
		t.Fatal(err)
	}
}

package integration

import (
	"context"
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
)

// "Delete the handler: all children collected", and only those. A user's record
// is the user's.
func TestDeletedHandlerTakesItsChildrenAlong(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	createObject(t, builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Replicas(2).Autoscale(2, 4).Obj())
	createObject(t, builders.MakeHandler("b").Namespace(ns).Image("app:v1.0.0").Obj())
	createObject(t, builders.MakeModule("m").Namespace(ns).ModuleName("m").Runtime("node:20").Image("m:v1.0.0").Obj())
	createObject(t, builders.MakeVersion("b-mine").Namespace(ns).Handler("b").Obj())
	readyHandler(t, ns, "a")
	readyHandler(t, ns, "b")
	readyModule(t, ns, "m")
	acceptedRecord(t, ns, "b-mine", true)

	removeObject[v1.GatiHandler](t, ns, "a")
	await.Eventually(t, "collection of the children of a", func() error {
		for _, kind := range childLists() {
			if n := countOf(t, kind, ns, "a"); n > 0 {
				return errors.New("some are left")
			}
		}
		return nil
	})
	readyHandler(t, ns, "b")
	readyModule(t, ns, "m")
	readObject[corev1.Service](t, ns, "handler-b")
	readObject[corev1.Service](t, ns, "module-m")

	removeObject[v1.GatiHandler](t, ns, "b")
	removeObject[v1.GatiModule](t, ns, "m")
	noChildren(t, ns)
	readObject[v1.GatiVersion](t, ns, "b-mine")
}

// "Delete the namespace with gati-webhook down: it goes." Nothing that we make
// has a finalizer which only we could drop.
func TestNamespaceGoesWhileWebhookIsDown(t *testing.T) {
	ns := makeNamespace(t)
	createObject(t, builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Replicas(2).Autoscale(2, 4).Obj())
	createObject(t, builders.MakeModule("m").Namespace(ns).ModuleName("m").Runtime("node:20").Image("m:v1.0.0").Obj())
	createObject(t, builders.MakeVersion("a-mine").Namespace(ns).Handler("a").Obj())
	readyHandler(t, ns, "a")
	readyModule(t, ns, "m")

	stopWebhook(t)

	if err := admin.Delete(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}}); err != nil {
		t.Fatal(err)
	}
	await.Within(t, time.Minute, "end of the namespace", func() error {
		left, err := findObject[corev1.Namespace](t, "", ns)
		if apierrors.IsNotFound(err) {
			return nil
		}
		for _, c := range left.Status.Conditions {
			if c.Status == corev1.ConditionTrue {
				err = errors.Join(err, errors.New(c.Message))
			}
		}
		return errors.Join(errors.New("it is still there"), err)
	})
}

// stopWebhook stops gati-webhook and starts it again after the test.
func stopWebhook(t *testing.T) {
	t.Helper()
	if err := webhook.Stop(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { startWebhook(t) })
}

// startWebhook starts gati-webhook unless it runs.
func startWebhook(t *testing.T) {
	t.Helper()
	if webhook.Pid() != 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), await.Patience)
	defer cancel()
	if err := webhook.Start(ctx); err != nil {
		t.Fatal(err)
	}
}

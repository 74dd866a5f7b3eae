package integration

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

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

// TestOrphaningDeleteEnds deletes owners and records with --cascade=orphan: the garbage
// collector patches children of every kind, and each of these patches has to pass. What runs
// stays as it is, and the next owner of that name takes it over.
func TestOrphaningDeleteEnds(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	owners := func() []client.Object {
		return []client.Object{
			builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Replicas(2).Autoscale(2, 4).Env("A", "1").Obj(),
			builders.MakeHandler("c").Namespace(ns).Image("app:v1.0.0").Version("v1").Strategy(v1.StrategyCanary).Replicas(2).Obj(),
			builders.MakeModule("m").Namespace(ns).ModuleName("m").Runtime("node:20").Image("m:v1.0.0").Replicas(2).Obj(),
		}
	}
	areReady := func() {
		readyHandler(t, ns, "a")
		readyHandler(t, ns, "c")
		readyModule(t, ns, "m")
	}
	for _, owner := range owners() {
		createObject(t, owner)
	}
	areReady()
	createObject(t, builders.MakeVersion("c-mine").Namespace(ns).Handler("c").Version("v2").Obj())
	before := listOwned(t, ns)
	for _, kind := range []string{"Deployment", "ControllerRevision", "Service", "ConfigMap", "HorizontalPodAutoscaler", "PodDisruptionBudget", "NetworkPolicy", "GatiVersion"} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(before)), func(name string) bool { return strings.HasPrefix(name, kind+" ") }) {
			t.Errorf("no %s is owned", kind)
		}
	}

	mine := readObject[v1.GatiVersion](t, ns, "c-mine")
	for _, deleted := range append(owners(), mine) {
		if err := admin.Delete(t.Context(), deleted, client.PropagationPolicy(metav1.DeletePropagationOrphan)); err != nil {
			t.Fatal(err)
		}
	}
	for _, deleted := range append(owners(), mine) {
		await.Eventually(t, "end of "+deleted.GetName(), func() error {
			err := admin.Get(t.Context(), client.ObjectKeyFromObject(deleted), deleted)
			if err == nil {
				return fmt.Errorf("its finalizers are %v", deleted.GetFinalizers())
			}
			return client.IgnoreNotFound(err)
		})
	}
	after := listOwned(t, ns)
	for name, was := range before {
		if now, found := after[name]; !found || now.uid != was.uid || now.owner != "" {
			t.Errorf("%s is %+v after the delete and was %+v", name, now, was)
		}
	}
	for _, owner := range owners() {
		createObject(t, owner)
	}
	// Anybody may have written a revision without an owner, so none is taken over.
	stalledHandler(t, ns, "a", "ControllerRevision.apps handler-a-", "delete or rename it")
	if err := admin.DeleteAllOf(t.Context(), &appsv1.ControllerRevision{}, client.InNamespace(ns)); err != nil {
		t.Fatal(err)
	}
	areReady()
	for name, now := range listOwned(t, ns) {
		if was := before[name]; was.owner != now.owner || was.uid != now.uid && !strings.HasPrefix(name, "ControllerRevision ") {
			t.Errorf("%s is %+v once its owner is back and was %+v", name, now, was)
		}
	}
}

// ownedObject is a child or an automatic record.
type ownedObject struct {
	uid types.UID
	// owner is its controller, empty without one.
	owner string
}

// listOwned returns what Gati has made in a namespace, by kind and name.
func listOwned(t *testing.T, ns string) map[string]ownedObject {
	t.Helper()
	out := map[string]ownedObject{}
	for _, kind := range append(childLists(), &v1.GatiVersionList{}) {
		if err := admin.List(t.Context(), kind, client.InNamespace(ns), client.MatchingLabels{v1.LabelManagedBy: v1.ManagedBy}); err != nil {
			t.Fatal(err)
		}
		err := meta.EachListItem(kind, func(o runtime.Object) error {
			object := o.(client.Object)
			gvk, err := apiutil.GVKForObject(o, admin.Scheme())
			owned := ownedObject{uid: object.GetUID()}
			if ref := metav1.GetControllerOf(object); ref != nil {
				owned.owner = ref.Kind + " " + ref.Name
			}
			if !strings.HasPrefix(owned.owner, "ReplicaSet") && !strings.HasPrefix(owned.owner, "Deployment") {
				out[gvk.Kind+" "+object.GetName()] = owned
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
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

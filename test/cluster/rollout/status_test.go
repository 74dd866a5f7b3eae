package rollout_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/await"
)

// awaitHealth waits until a handler has a health, and the condition that goes with it for a
// reason.
func (w *world) awaitHealth(name string, health v1.Health, condition string, reason v1.ConditionReason) *v1.GatiHandler {
	w.t.Helper()
	var h *v1.GatiHandler
	w.eventually(fmt.Sprintf("%s, %s %s", health, condition, reason), func() error {
		h = w.readHandler(name)
		c := meta.FindStatusCondition(h.Status.Conditions, condition)
		if h.Status.Health != health || h.Status.ObservedGeneration != h.Generation || c == nil || c.Status != metav1.ConditionTrue || c.Reason != string(reason) {
			return errors.New(string(h.Status.Health))
		}
		return nil
	}, func() string { return describeHandler(w.readHandler(name)) })
	return h
}

// readColumns returns what kubectl get shows of a handler.
func (w *world) readColumns(name string) []string {
	w.t.Helper()
	out, err := cluster.Run(w.t.Context(), "", "get", "gh", name, "-n", w.ns, "-o", "wide", "--no-headers")
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.Fields(out)[:8]
}

// kubectlWait waits for a condition, for long where it has to come.
func (w *world) kubectlWait(name, condition string, comes bool) error {
	timeout := "--timeout=1s"
	if comes {
		timeout = "--timeout=" + await.Patience.String()
	}
	_, err := cluster.Run(w.t.Context(), "", "wait", "gh/"+name, "-n", w.ns, "--for=condition="+condition, timeout)
	return err
}

// TestRolledBackIsNotReady holds that what waits for a release does not take its rollback
// for a success, and sees what serves all the while.
func TestRolledBackIsNotReady(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.applyHandler(w.makeLongCanary("v1").Obj())
	w.awaitHealth("users", v1.Healthy, v1.ConditionReady, v1.ReasonReady)
	check := func(ready bool, columns string) {
		t.Helper()
		if err := w.kubectlWait("users", "Ready", ready); (err == nil) != ready {
			t.Errorf("kubectl wait --for=condition=Ready: %v\n%s", err, describeHandler(w.readHandler("users")))
		}
		if err := w.kubectlWait("users", "Available", true); err != nil {
			t.Errorf("kubectl wait --for=condition=Available: %v", err)
		}
		got := w.readColumns("users")
		got[4] = "AGE"
		if line := strings.Join(got, " "); line != columns {
			t.Errorf("kubectl get gh shows %q, want %q", line, columns)
		}
	}
	check(true, "users v1 4/4 Healthy AGE v1 /users v1=100%")

	w.applyHandler(w.makeLongCanary("v2").Obj())
	w.awaitHealth("users", v1.Paused, v1.ConditionReconciling, v1.ReasonPaused)
	check(false, "users v1 5/5 Paused AGE v2 /users v1=90%,v2=10%")

	w.requestAsAdmin("users", "abort")
	w.awaitHealth("users", v1.RolledBack, v1.ConditionStalled, v1.ReasonRejected)
	check(false, "users v1 4/4 RolledBack AGE v2 /users v1=100%")

	w.applyHandler(w.makeLongCanary("v3").Obj())
	w.awaitHealth("users", v1.Paused, v1.ConditionReconciling, v1.ReasonPaused)
	w.requestAsAdmin("users", "promote:full")
	w.awaitHealth("users", v1.Healthy, v1.ConditionReady, v1.ReasonReady)
	check(true, "users v3 4/4 Healthy AGE v3 /users v3=100%")

	w.requestAsAdmin("users", "rollback:v1")
	w.awaitHealth("users", v1.RolledBack, v1.ConditionStalled, v1.ReasonRolledBack)
	check(false, "users v1 4/4 RolledBack AGE v3 /users v1=100%")
}

// TestOldChildrenAreWaitedFor holds that a handler that is made again while the children of
// its predecessor are there waits for the garbage collector and needs no action.
func TestOldChildrenAreWaitedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.applyHandler(w.makeCanary("v1").Obj())
	w.awaitHealth("users", v1.Healthy, v1.ConditionReady, v1.ReasonReady)
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: "handler-users"}}
	w.setFinalizers(service, "test.gati.dev/late")
	if err := admin.Delete(t.Context(), w.readHandler("users")); err != nil {
		t.Fatal(err)
	}
	w.applyHandler(w.makeCanary("v1").Obj())
	h := w.awaitHealth("users", v1.Progressing, v1.ConditionReconciling, v1.ReasonOldChildren)
	c := meta.FindStatusCondition(h.Status.Conditions, v1.ConditionReady)
	if want := "Waiting for the old children to be removed: "; !strings.HasPrefix(c.Message, want) || c.Status != metav1.ConditionFalse {
		t.Errorf("got %q, want it to begin with %q", c.Message, want)
	}
	w.setFinalizers(service)
	w.awaitHealth("users", v1.Healthy, v1.ConditionReady, v1.ReasonReady)
}

// setFinalizers sets those of an object.
func (w *world) setFinalizers(obj client.Object, names ...string) {
	w.t.Helper()
	if err := admin.Get(w.t.Context(), client.ObjectKeyFromObject(obj), obj); err != nil {
		w.t.Fatal(err)
	}
	before := obj.DeepCopyObject().(client.Object)
	obj.SetFinalizers(names)
	if err := admin.Patch(w.t.Context(), obj, client.MergeFrom(before)); err != nil {
		w.t.Fatal(err)
	}
}

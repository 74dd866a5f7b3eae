package handler

import (
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/trigger"
)

// TestANewHandlerComesBeforeLooksAgain holds that the first Deployment of a new handler is
// written before a hundred handlers are looked at again, then its other children, and that it
// waits as they do afterwards.
func TestANewHandlerComesBeforeLooksAgain(t *testing.T) {
	w := newWorld(t, routed().Obj())
	options := trigger.NewOptions(1, w.r.lanes()...)
	q := options.NewQueue("new", options.RateLimiter)
	defer q.ShutDown()
	fresh := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(w.handler())}
	const others = 100
	for i := range others {
		q.Add(reconcile.Request{NamespacedName: types.NamespacedName{Namespace: fresh.Namespace, Name: fmt.Sprintf("known-%d", i)}})
	}
	q.Add(fresh)

	first, _ := q.Get()
	_, err := w.r.Reconcile(t.Context(), first)
	w.must(err)
	var d appsv1.Deployment
	if err := w.get(&d, "handler-users"); err != nil {
		t.Errorf("%s comes first, and the new handler has no Deployment: %v", first, err)
	}
	q.Done(first)
	q.Add(fresh)
	second, _ := q.Get()
	_, err = w.r.Reconcile(t.Context(), second)
	w.must(err)
	var s corev1.Service
	if err := w.get(&s, "handler-users"); err != nil {
		t.Errorf("%s comes next, and the new handler has no Service: %v", second, err)
	}
	q.Done(second)
	q.Add(fresh)
	for range others {
		item, _ := q.Get()
		if item == fresh {
			t.Fatal("a handler that was reconciled comes before others again")
		}
		q.Done(item)
	}
}

// TestIsNew holds which handlers were never reconciled.
func TestIsNew(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*v1.GatiHandler)
		want   bool
	}{
		"nothing was written of it":  {func(*v1.GatiHandler) {}, true},
		"a decision is stored":       {func(h *v1.GatiHandler) { h.Status.Rollout = &v1.RolloutStatus{} }, false},
		"its spec was found invalid": {func(h *v1.GatiHandler) { h.Status.ObservedGeneration = 1 }, false},
		"it is deleted":              {func(h *v1.GatiHandler) { h.DeletionTimestamp = &metav1.Time{Time: metav1.Now().Time} }, false},
		"the cache does not have it": {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, routed().Obj())
			req := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(w.handler())}
			if tc.change == nil {
				req.Name = "gone"
			} else {
				w.cached = w.handler()
				tc.change(w.cached)
			}
			if got := w.r.isNew(req); got != tc.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

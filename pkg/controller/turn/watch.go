package turn

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "gati.dev/gati/api/v1"
)

// Handler keeps the board as the cache has the handlers, and enqueues those whose turn has
// come. A controller starts its workers after it has seen every handler.
func (b *Board) Handler() handler.EventHandler {
	type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]
	wake := func(q queue, keys []types.NamespacedName) {
		for _, key := range keys {
			q.Add(reconcile.Request{NamespacedName: key})
		}
	}
	return handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, q queue) { wake(q, b.Observe(e.Object.(*v1.GatiHandler))) },
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, q queue) {
			wake(q, b.Observe(e.ObjectNew.(*v1.GatiHandler)))
		},
		DeleteFunc: func(_ context.Context, e event.DeleteEvent, q queue) {
			wake(q, b.Forget(client.ObjectKeyFromObject(e.Object)))
		},
	}
}

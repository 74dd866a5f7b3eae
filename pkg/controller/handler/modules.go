package handler

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"gati.dev/gati/pkg/observe"
)

// comesOrGoes passes the creation and the deletion of a module: nothing else of it
// concerns the handlers that name it.
var comesOrGoes = predicate.Funcs{
	UpdateFunc:  func(event.UpdateEvent) bool { return false },
	GenericFunc: func(event.GenericEvent) bool { return false },
}

// findUsers finds the handlers that name a module.
func (r *Reconciler) findUsers(ctx context.Context, module client.Object) []reconcile.Request {
	names, err := observe.Users(ctx, r.Client, module.GetNamespace(), module.GetName())
	if err != nil {
		return nil
	}
	out := make([]reconcile.Request, len(names))
	for i, name := range names {
		out[i].NamespacedName = types.NamespacedName{Namespace: module.GetNamespace(), Name: name}
	}
	return out
}

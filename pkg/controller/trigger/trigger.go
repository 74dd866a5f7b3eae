// Package trigger maps the change of one object to the objects to reconcile, and retries
// after a lost race. It must not know what a reconciler does.
package trigger

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"gati.dev/gati/pkg/target"
)

// ByLabel finds the object that another one names in a label.
func ByLabel(label string) handler.MapFunc {
	return func(_ context.Context, obj client.Object) []reconcile.Request {
		name := obj.GetLabels()[label]
		if name == "" {
			return nil
		}
		return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: obj.GetNamespace(), Name: name}}}
	}
}

// ByOwner finds the owner of a child. label is the one that names owners of that kind.
func ByOwner(label string) handler.MapFunc {
	return func(_ context.Context, child client.Object) []reconcile.Request {
		owner, ok := target.FindOwner(child, label)
		if !ok {
			return nil
		}
		return []reconcile.Request{{NamespacedName: owner}}
	}
}

// Requests returns a request for each object of a list.
func Requests(list client.ObjectList) []reconcile.Request {
	var out []reconcile.Request
	_ = meta.EachListItem(list, func(o runtime.Object) error {
		out = append(out, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(o.(client.Object))})
		return nil
	})
	return out
}

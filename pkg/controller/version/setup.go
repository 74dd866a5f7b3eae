package version

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/trigger"
)

// SetupWithManager starts the reconciler on records and on the handlers that they
// belong to.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		Named("gativersion").
		For(&v1.GatiVersion{}).
		Watches(&v1.GatiVersion{}, handler.EnqueueRequestsFromMapFunc(r.siblingsOf)).
		Watches(&v1.GatiHandler{}, handler.EnqueueRequestsFromMapFunc(r.recordsOf)).
		Complete(trigger.Quiet(r))
}

// siblingsOf finds the other records of the same handler: whether one counts
// depends on the others.
func (r *Reconciler) siblingsOf(ctx context.Context, obj client.Object) []reconcile.Request {
	name := obj.GetLabels()[v1.LabelHandler]
	if name == "" {
		return nil
	}
	return r.list(ctx, obj.GetNamespace(), func(v *v1.GatiVersion) bool {
		return v.Labels[v1.LabelHandler] == name && v.Name != obj.GetName()
	})
}

// recordsOf finds the records of a handler and those that belong to none yet.
func (r *Reconciler) recordsOf(ctx context.Context, obj client.Object) []reconcile.Request {
	return r.list(ctx, obj.GetNamespace(), func(v *v1.GatiVersion) bool {
		name := v.Labels[v1.LabelHandler]
		return name == obj.GetName() || name == ""
	})
}

func (r *Reconciler) list(ctx context.Context, namespace string, fits func(*v1.GatiVersion) bool) []reconcile.Request {
	var list v1.GatiVersionList
	if err := r.Client.List(ctx, &list, client.InNamespace(namespace)); err != nil {
		return nil
	}
	list.Items = slices.DeleteFunc(list.Items, func(v v1.GatiVersion) bool { return !fits(&v) })
	return trigger.Requests(&list)
}

func ownerIsHandler(o metav1.OwnerReference) bool { return o.Kind == "GatiHandler" }

// set writes a key of a map that may be nil.
func set(into *map[string]string, key, value string) {
	if *into == nil {
		*into = map[string]string{}
	}
	(*into)[key] = value
}

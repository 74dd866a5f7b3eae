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
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/records"
)

// SetupWithManager starts the reconciler on records and on the handlers that they
// belong to.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		Named("gativersion").
		For(&v1.GatiVersion{}).
		Watches(&v1.GatiVersion{}, handler.EnqueueRequestsFromMapFunc(r.siblingsOf)).
		Watches(&v1.GatiHandler{}, handler.EnqueueRequestsFromMapFunc(r.recordsOf)).
		WithOptions(trigger.NewOptions(1)).
		Complete(trigger.Quiet(r))
}

// siblingsOf finds the other records of the same handler: whether one counts
// depends on the others.
func (r *Reconciler) siblingsOf(ctx context.Context, obj client.Object) []reconcile.Request {
	name := records.HandlerName(obj.(*v1.GatiVersion))
	if name == "" {
		return nil
	}
	list, err := observe.Records(ctx, r.Client, obj.GetNamespace(), name)
	if err != nil {
		return nil
	}
	list = slices.DeleteFunc(list, func(v v1.GatiVersion) bool { return v.Name == obj.GetName() })
	return trigger.Requests(&v1.GatiVersionList{Items: list})
}

// recordsOf finds the records of a handler and those that belong to none yet.
func (r *Reconciler) recordsOf(ctx context.Context, obj client.Object) []reconcile.Request {
	own, err := observe.Records(ctx, r.Client, obj.GetNamespace(), obj.GetName())
	if err != nil {
		return nil
	}
	unbound, err := observe.UnboundRecords(ctx, r.Client, obj.GetNamespace())
	if err != nil {
		return nil
	}
	return trigger.Requests(&v1.GatiVersionList{Items: append(own, unbound...)})
}

func ownerIsHandler(o metav1.OwnerReference) bool { return o.Kind == "GatiHandler" }

// set writes a key of a map that may be nil.
func set(into *map[string]string, key, value string) {
	if *into == nil {
		*into = map[string]string{}
	}
	(*into)[key] = value
}

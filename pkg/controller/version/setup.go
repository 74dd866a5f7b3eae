package version

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
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
		WithOptions(trigger.NewOptions(1)).
		Complete(trigger.Quiet(r))
}

// siblingsOf finds the other records of the same handler: whether one counts
// depends on the others.
func (r *Reconciler) siblingsOf(ctx context.Context, obj client.Object) []reconcile.Request {
	name := obj.GetLabels()[v1.LabelHandler]
	if name == "" {
		return nil
	}
	requests := r.list(ctx, obj.GetNamespace(), client.MatchingLabels{v1.LabelHandler: name})
	return slices.DeleteFunc(requests, func(q reconcile.Request) bool { return q.Name == obj.GetName() })
}

// recordsOf finds the records of a handler and those that belong to none yet.
func (r *Reconciler) recordsOf(ctx context.Context, obj client.Object) []reconcile.Request {
	bound := r.list(ctx, obj.GetNamespace(), client.MatchingLabels{v1.LabelHandler: obj.GetName()})
	return append(bound, r.list(ctx, obj.GetNamespace(), client.MatchingLabelsSelector{Selector: unbound})...)
}

// unbound selects the records that belong to no handler yet.
var unbound = labels.NewSelector().Add(mustRequire(v1.LabelHandler, selection.DoesNotExist))

func mustRequire(key string, op selection.Operator) labels.Requirement {
	r, err := labels.NewRequirement(key, op, nil)
	if err != nil {
		panic(err) // A constant of ours that is no label is a fault in the program.
	}
	return *r
}

func (r *Reconciler) list(ctx context.Context, namespace string, which client.ListOption) []reconcile.Request {
	var list v1.GatiVersionList
	if err := r.Client.List(ctx, &list, client.InNamespace(namespace), which); err != nil {
		return nil
	}
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

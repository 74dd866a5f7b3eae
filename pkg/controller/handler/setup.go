package handler

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/trigger"
	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/records"
)

// DefaultWorkers is how many handlers are reconciled at once, unless the operator says
// otherwise. The work is waiting for the API server, which also works on the pods of those
// before: with few workers they hold up the Deployments of new handlers.
const DefaultWorkers = 16

// Index adds the indexes of the reconciler to a cache, once.
func Index(ctx context.Context, fields client.FieldIndexer) error {
	for name, keys := range map[string]client.IndexerFunc{claimIndex: claimKeys, acceptedIndex: acceptedKeys} {
		if err := fields.IndexField(ctx, &v1.GatiHandler{}, name, keys); err != nil {
			return fmt.Errorf("index handlers by the claims of their routes: %w", err)
		}
	}
	if err := observe.IndexModules(ctx, fields); err != nil {
		return err
	}
	return observe.IndexRecords(ctx, fields)
}

// SetupWithManager starts the reconciler on every object that a decision depends on.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	owner := handler.EnqueueRequestsFromMapFunc(trigger.ByOwner(v1.LabelHandler))
	b := ctrl.NewControllerManagedBy(mgr).
		Named("gatihandler").
		For(&v1.GatiHandler{}).
		Owns(&appsv1.ControllerRevision{}).
		Watches(&appsv1.Deployment{}, owner).
		Watches(&corev1.Service{}, owner).
		Watches(&corev1.ConfigMap{}, owner).
		Watches(&batchv1.Job{}, owner).
		// By its label: KEDA may be its owner.
		Watches(&autoscalingv2.HorizontalPodAutoscaler{}, handler.EnqueueRequestsFromMapFunc(trigger.ByLabel(v1.LabelHandler))).
		Watches(&policyv1.PodDisruptionBudget{}, owner).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(trigger.ByLabel(v1.LabelHandler))).
		Watches(&discoveryv1.EndpointSlice{}, handler.EnqueueRequestsFromMapFunc(trigger.ByLabel(v1.LabelHandler))).
		Watches(&v1.GatiVersion{}, handler.EnqueueRequestsFromMapFunc(handlerOf), builder.WithPredicates(changesRecord)).
		Watches(&v1.GatiHandler{}, handler.EnqueueRequestsFromMapFunc(r.findRivals), builder.WithPredicates(changesClaims)).
		Watches(&v1.GatiModule{}, handler.EnqueueRequestsFromMapFunc(r.findUsers), builder.WithPredicates(comesOrGoes)).
		Watches(&corev1.Namespace{}, handler.EnqueueRequestsFromMapFunc(r.allIn), builder.WithPredicates(trigger.ChangesFacts)).
		WithOptions(trigger.NewOptions(r.Workers))
	if r.Turns != nil {
		b = b.Watches(&v1.GatiHandler{}, r.Turns.Handler())
	}
	if r.Measured != nil {
		b = b.WatchesRawSource(source.Channel(r.Measured, &handler.EnqueueRequestForObject{}))
	}
	c, err := b.Build(trigger.Quiet(r))
	if err != nil {
		return err
	}
	r.late.Bind(c, mgr.GetCache(), v1.LabelHandler)
	return nil
}

// watchLate watches the children whose API may be installed after us.
func (r *Reconciler) watchLate(ctx context.Context) error {
	if err := r.late.Ensure(ctx, &gatewayv1.HTTPRoute{}, r.Facts.HTTPRouteServed); err != nil {
		return fmt.Errorf("watch HTTPRoutes: %w", err)
	}
	if err := r.late.Ensure(ctx, &kedav1alpha1.ScaledObject{}, r.Facts.ScaledObjectServed); err != nil {
		return fmt.Errorf("watch ScaledObjects: %w", err)
	}
	return nil
}

// changesRecord passes the changes of a record that can change the plan of its handler: not
// those of its conditions, which are written after it.
var changesRecord = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	return records.HasChanged(e.ObjectOld.(*v1.GatiVersion), e.ObjectNew.(*v1.GatiVersion))
}}

// handlerOf finds the handler of a record.
func handlerOf(_ context.Context, obj client.Object) []reconcile.Request {
	name := records.HandlerName(obj.(*v1.GatiVersion))
	if name == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: obj.GetNamespace(), Name: name}}}
}

// allIn finds the handlers of a namespace, whose image the namespace may name.
func (r *Reconciler) allIn(ctx context.Context, ns client.Object) []reconcile.Request {
	var list v1.GatiHandlerList
	if err := r.Client.List(ctx, &list, client.InNamespace(ns.GetName())); err != nil {
		return nil
	}
	return trigger.Requests(&list)
}

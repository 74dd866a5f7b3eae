package handler

import (
	"context"
	"fmt"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/trigger"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/records"
)

// workers is how many handlers are reconciled at once. The work is waiting for
// the API server.
const workers = 8

// Index prepares a cache, once, for what the reconciler looks up in it.
func Index(ctx context.Context, fields client.FieldIndexer) error {
	for name, keys := range map[string]client.IndexerFunc{claimIndex: claimKeys, acceptedIndex: acceptedKeys} {
		if err := fields.IndexField(ctx, &v1.GatiHandler{}, name, keys); err != nil {
			return fmt.Errorf("index handlers by the claims of their routes: %w", err)
		}
	}
	return observe.IndexRecords(ctx, fields)
}

// SetupWithManager starts the reconciler on every object that a decision rests on.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	b := ctrl.NewControllerManagedBy(mgr).
		Named("gatihandler").
		For(&v1.GatiHandler{}).
		Owns(&appsv1.Deployment{}).
		Owns(&appsv1.ControllerRevision{}).
		Owns(&corev1.Service{}).
		Owns(&corev1.ConfigMap{}).
		Owns(&autoscalingv2.HorizontalPodAutoscaler{}).
		Owns(&policyv1.PodDisruptionBudget{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(trigger.ByLabel(v1.LabelHandler))).
		Watches(&discoveryv1.EndpointSlice{}, handler.EnqueueRequestsFromMapFunc(trigger.ByLabel(v1.LabelHandler))).
		Watches(&v1.GatiVersion{}, handler.EnqueueRequestsFromMapFunc(handlerOf)).
		Watches(&v1.GatiHandler{}, handler.EnqueueRequestsFromMapFunc(r.rivals), builder.WithPredicates(changesClaims)).
		Watches(&corev1.Namespace{}, handler.EnqueueRequestsFromMapFunc(r.allIn)).
		WithOptions(trigger.NewOptions(workers))
	if r.Measured != nil {
		b = b.WatchesRawSource(source.Channel(r.Measured, &handler.EnqueueRequestForObject{}))
	}
	c, err := b.Build(trigger.Quiet(r))
	if err != nil {
		return err
	}
	r.routes.controller, r.routes.cache, r.routes.mgr = c, mgr.GetCache(), mgr
	return nil
}

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

// routeWatch starts watching HTTPRoutes once the cluster serves them: the Gateway
// API may be installed after us.
type routeWatch struct {
	controller controller.Controller
	cache      cache.Cache
	mgr        ctrl.Manager
	mu         sync.Mutex
	started    bool
}

func (w *routeWatch) ensure(served func() (bool, error)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.started {
		return nil
	}
	if now, err := served(); err != nil || !now {
		return err
	}
	owned := handler.TypedEnqueueRequestForOwner[*gatewayv1.HTTPRoute](w.mgr.GetScheme(), w.mgr.GetRESTMapper(), &v1.GatiHandler{}, handler.OnlyControllerOwner())
	if err := w.controller.Watch(source.Kind(w.cache, &gatewayv1.HTTPRoute{}, owned)); err != nil {
		return err
	}
	w.started = true
	return nil
}

package module

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/trigger"
)

// workers is how many modules are reconciled at once.
const workers = 4

// SetupWithManager starts the reconciler on every object that a decision depends on.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	owner := handler.EnqueueRequestsFromMapFunc(trigger.ByOwner(v1.LabelModule))
	c, err := ctrl.NewControllerManagedBy(mgr).
		Named("gatimodule").
		For(&v1.GatiModule{}).
		Owns(&appsv1.ControllerRevision{}).
		Watches(&appsv1.Deployment{}, owner).
		Watches(&corev1.Service{}, owner).
		Watches(&corev1.ConfigMap{}, owner).
		// By its label: KEDA may be its owner.
		Watches(&autoscalingv2.HorizontalPodAutoscaler{}, handler.EnqueueRequestsFromMapFunc(trigger.ByLabel(v1.LabelModule))).
		Watches(&policyv1.PodDisruptionBudget{}, owner).
		Watches(&networkingv1.NetworkPolicy{}, owner).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(trigger.ByLabel(v1.LabelModule))).
		Watches(&v1.GatiHandler{}, handler.EnqueueRequestsFromMapFunc(modulesOf), builder.WithPredicates(changesModules)).
		Watches(&corev1.Namespace{}, handler.EnqueueRequestsFromMapFunc(r.allIn), builder.WithPredicates(trigger.ChangesFacts)).
		WithOptions(trigger.NewOptions(workers)).
		Build(trigger.Quiet(r))
	if err != nil {
		return err
	}
	r.late.Bind(c, mgr.GetCache(), v1.LabelModule)
	return nil
}

// modulesOf finds the modules that a handler names.
func modulesOf(_ context.Context, obj client.Object) []reconcile.Request {
	h := obj.(*v1.GatiHandler)
	out := make([]reconcile.Request, len(h.Spec.Modules))
	for i, name := range h.Spec.Modules {
		out[i].NamespacedName = types.NamespacedName{Namespace: h.Namespace, Name: string(name)}
	}
	return out
}

// changesModules passes the changes of a handler that its modules show.
var changesModules = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	return !slices.Equal(e.ObjectOld.(*v1.GatiHandler).Spec.Modules, e.ObjectNew.(*v1.GatiHandler).Spec.Modules)
}}

// allIn finds the modules of a namespace, whose image the namespace may name.
func (r *Reconciler) allIn(ctx context.Context, ns client.Object) []reconcile.Request {
	var list v1.GatiModuleList
	if err := r.Client.List(ctx, &list, client.InNamespace(ns.GetName())); err != nil {
		return nil
	}
	return trigger.Requests(&list)
}

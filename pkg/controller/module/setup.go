package module

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/trigger"
)

// workers is how many modules are reconciled at once.
const workers = 4

// SetupWithManager starts the reconciler on every object that a decision rests on.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		Named("gatimodule").
		For(&v1.GatiModule{}).
		Owns(&appsv1.Deployment{}).
		Owns(&appsv1.ControllerRevision{}).
		Owns(&corev1.Service{}).
		Owns(&corev1.ConfigMap{}).
		Owns(&autoscalingv2.HorizontalPodAutoscaler{}).
		Owns(&policyv1.PodDisruptionBudget{}).
		Owns(&networkingv1.NetworkPolicy{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(trigger.ByLabel(v1.LabelModule))).
		Watches(&corev1.Namespace{}, handler.EnqueueRequestsFromMapFunc(r.allIn)).
		WithOptions(trigger.NewOptions(workers)).
		Complete(trigger.Quiet(r))
}

// allIn finds the modules of a namespace, whose image the namespace may name.
func (r *Reconciler) allIn(ctx context.Context, ns client.Object) []reconcile.Request {
	var list v1.GatiModuleList
	if err := r.Client.List(ctx, &list, client.InNamespace(ns.GetName())); err != nil {
		return nil
	}
	return trigger.Requests(&list)
}

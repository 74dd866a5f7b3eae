package kubernetes

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
)

// Removable returns empty lists of the kinds of children that a change of spec can
// make superfluous, among them routes and ScaledObjects where the cluster serves them. A
// ScaledObject goes before its HorizontalPodAutoscaler, which KEDA would write again.
func Removable(routes, scaledObjects bool) []client.ObjectList {
	var kinds []client.ObjectList
	if scaledObjects {
		kinds = append(kinds, &kedav1alpha1.ScaledObjectList{})
	}
	kinds = append(kinds,
		&appsv1.DeploymentList{}, &corev1.ServiceList{}, &corev1.ConfigMapList{},
		&autoscalingv2.HorizontalPodAutoscalerList{}, &policyv1.PodDisruptionBudgetList{}, &networkingv1.NetworkPolicyList{},
	)
	if routes {
		kinds = append(kinds, &gatewayv1.HTTPRouteList{})
	}
	return kinds
}

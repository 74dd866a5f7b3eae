package cluster

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
)

// The items of each list: Go cannot say "a struct with a field Items".

func handlers(l *v1.GatiHandlerList) []v1.GatiHandler          { return l.Items }
func modules(l *v1.GatiModuleList) []v1.GatiModule             { return l.Items }
func versions(l *v1.GatiVersionList) []v1.GatiVersion          { return l.Items }
func deployments(l *appsv1.DeploymentList) []appsv1.Deployment { return l.Items }
func pods(l *corev1.PodList) []corev1.Pod                      { return l.Items }
func autoscalers(l *autoscalingv2.HorizontalPodAutoscalerList) []autoscalingv2.HorizontalPodAutoscaler {
	return l.Items
}

package observe

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// Workloads reads every workload of a handler, by the value of its label.
func Workloads(ctx context.Context, r client.Reader, h *v1.GatiHandler) (map[string]*Workload, error) {
	out := map[string]*Workload{}
	at := func(labels map[string]string) *Workload {
		name := labels[v1.LabelWorkload]
		if out[name] == nil {
			out[name] = &Workload{}
		}
		return out[name]
	}
	mine := []client.ListOption{client.InNamespace(h.Namespace), client.MatchingLabels{v1.LabelHandler: h.Name}}
	var deployments appsv1.DeploymentList
	if err := r.List(ctx, &deployments, mine...); err != nil {
		return nil, err
	}
	for i := range deployments.Items {
		if d := &deployments.Items[i]; metav1.IsControlledBy(d, h) {
			at(d.Labels).Deployment = d
		}
	}
	var scalers autoscalingv2.HorizontalPodAutoscalerList
	if err := r.List(ctx, &scalers, mine...); err != nil {
		return nil, err
	}
	for i := range scalers.Items {
		if a := &scalers.Items[i]; metav1.IsControlledBy(a, h) {
			at(a.Labels).Autoscaler = a
		}
	}
	var pods corev1.PodList
	if err := r.List(ctx, &pods, mine...); err != nil {
		return nil, err
	}
	for i := range pods.Items {
		w := at(pods.Items[i].Labels)
		w.Pods = append(w.Pods, pods.Items[i])
	}
	return out, reach(ctx, r, h, out)
}

// reach counts the pods of each workload that a Service leads to. Until the
// endpoints are written no gateway can send a request there, however ready the
// pods are.
func reach(ctx context.Context, r client.Reader, h *v1.GatiHandler, workloads map[string]*Workload) error {
	var slices discoveryv1.EndpointSliceList
	if err := r.List(ctx, &slices, client.InNamespace(h.Namespace), client.MatchingLabels{v1.LabelHandler: h.Name}); err != nil {
		return err
	}
	front, own := map[string]bool{}, map[string]map[string]bool{}
	for i := range slices.Items {
		service := slices.Items[i].Labels[discoveryv1.LabelServiceName]
		pods := front
		if workload := workloadOf(service, h.Name, ""); workload != "" {
			if own[workload] == nil {
				own[workload] = map[string]bool{}
			}
			pods = own[workload]
		}
		addReady(pods, &slices.Items[i])
	}
	for name, w := range workloads {
		w.Served = len(own[name]) > 0
		for _, p := range w.Pods {
			if own[name][p.Name] || front[p.Name] {
				w.Endpoints++
			}
		}
	}
	return nil
}

func addReady(pods map[string]bool, slice *discoveryv1.EndpointSlice) {
	for _, e := range slice.Endpoints {
		if e.TargetRef != nil && e.Conditions.Ready != nil && *e.Conditions.Ready {
			pods[e.TargetRef.Name] = true
		}
	}
}

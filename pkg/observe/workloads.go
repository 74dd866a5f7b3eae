package observe

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/expand"
	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/ownership"
)

// Workloads reads every workload of a handler, by the value of its label.
func Workloads(ctx context.Context, r client.Reader, h *v1.GatiHandler) (map[string]*expand.Observed, error) {
	out := map[string]*expand.Observed{}
	at := func(labels map[string]string) *expand.Observed {
		name := labels[v1.LabelWorkload]
		if out[name] == nil {
			out[name] = &expand.Observed{}
		}
		return out[name]
	}
	mine := []client.ListOption{client.InNamespace(h.Namespace), client.MatchingLabels{v1.LabelHandler: h.Name}}
	list := func(into client.ObjectList) func() error {
		return func() error { return r.List(ctx, into, mine...) }
	}
	var (
		deployments appsv1.DeploymentList
		scalers     autoscalingv2.HorizontalPodAutoscalerList
		pods        corev1.PodList
		endpoints   discoveryv1.EndpointSliceList
	)
	if err := runTogether(list(&deployments), list(&scalers), list(&pods), list(&endpoints)); err != nil {
		return nil, err
	}
	for i := range deployments.Items {
		if d := &deployments.Items[i]; ownership.IsChild(d, h) {
			at(d.Labels).Deployment = d
		}
	}
	for i := range scalers.Items {
		if a := &scalers.Items[i]; ownership.IsChild(a, h) || kedav1alpha1.IsTaken(a) || kedav1alpha1.IsLeft(a) {
			at(a.Labels).Autoscaler = a
		}
	}
	for i := range pods.Items {
		p := &pods.Items[i]
		if ownership.IsPodOf(p, naming.DeploymentName(h.Name, p.Labels[v1.LabelWorkload])) {
			w := at(p.Labels)
			w.Pods = append(w.Pods, *p)
		}
	}
	markReachable(h, endpoints.Items, out)
	return out, nil
}

// Exposure finds since when a Service leads to the pods of each workload, its own or the front.
// A workload that none leads to is exposed from now on.
func Exposure(ctx context.Context, r client.Reader, h *v1.GatiHandler, workloads map[string]*expand.Observed, now time.Time) error {
	var services corev1.ServiceList
	if err := r.List(ctx, &services, client.InNamespace(h.Namespace), client.MatchingLabels{v1.LabelHandler: h.Name}); err != nil {
		return fmt.Errorf("list the Services of %s: %w", h.Name, err)
	}
	for name, w := range workloads {
		w.ExposedAt = now
		for i := range services.Items {
			s := &services.Items[i]
			leadsTo := s.Spec.Selector[v1.LabelWorkload] // Empty for all.
			if since := s.CreationTimestamp.Time; ownership.IsChild(s, h) && since.Before(w.ExposedAt) && (leadsTo == name || leadsTo == "") {
				w.ExposedAt = since
			}
		}
	}
	return nil
}

// markReachable finds the pods of each workload that a Service leads to. Until the
// endpoints are written no gateway can send a request there, however ready the
// pods are.
func markReachable(h *v1.GatiHandler, endpoints []discoveryv1.EndpointSlice, workloads map[string]*expand.Observed) {
	front, own := reachable{}, map[string]reachable{}
	for i := range endpoints {
		slice := &endpoints[i]
		workload := workloadOf(slice.Labels[discoveryv1.LabelServiceName], h.Name, "")
		if workload == "" {
			front.addSlice(slice)
			continue
		}
		if own[workload] == nil {
			own[workload] = reachable{}
		}
		own[workload].addSlice(slice)
		if w := workloads[workload]; w != nil && len(own[workload]) > 0 && w.ServedSince.Before(slice.CreationTimestamp.Time) {
			w.ServedSince = slice.CreationTimestamp.Time
		}
	}
	for name, w := range workloads {
		w.HasEndpoints = true
		for i := range w.Pods {
			p := &w.Pods[i]
			written, ok := own[name][p.Name]
			if !ok {
				written, ok = front[p.Name]
			}
			if ok {
				w.Reachable = append(w.Reachable, reachableSince(p, written))
			}
		}
	}
}

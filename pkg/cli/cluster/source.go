package cluster

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/diagnose"
	"gati.dev/gati/pkg/status"
)

// source is one list to read or to keep up with, with the selector that makes it small.
type source struct {
	resource string
	newList  func() client.ObjectList
	opts     []client.ListOption
}

// readPage reads the source, or the page of it that the options ask for, into a list of its
// own: decoding into a used one would share memory with earlier objects.
func (s source) readPage(ctx context.Context, c client.Reader, o metav1.ListOptions) (runtime.Object, error) {
	l := s.newList()
	return l, c.List(ctx, l, s.withRaw(&client.ListOptions{Raw: &o, Limit: o.Limit, Continue: o.Continue})...)
}

func (s source) withRaw(o *client.ListOptions) []client.ListOption {
	return append(s.opts[:len(s.opts):len(s.opts)], o)
}

// holdsOwners reports whether the source has handlers or modules, and not what belongs to them.
func (s source) holdsOwners() bool {
	return s.resource == status.ResourceHandlers || s.resource == status.ResourceModules
}

// The lists that can be read.
func handlersOf(opts ...client.ListOption) source {
	return source{status.ResourceHandlers, func() client.ObjectList { return &v1.GatiHandlerList{} }, opts}
}

func modulesOf(opts ...client.ListOption) source {
	return source{status.ResourceModules, func() client.ObjectList { return &v1.GatiModuleList{} }, opts}
}

func versionsOf(opts ...client.ListOption) source {
	return source{status.ResourceVersions, func() client.ObjectList { return &v1.GatiVersionList{} }, opts}
}

func childrenOf(opts ...client.ListOption) []source {
	return []source{
		{status.ResourceDeployments, func() client.ObjectList { return &appsv1.DeploymentList{} }, opts},
		{status.ResourcePods, func() client.ObjectList { return &corev1.PodList{} }, opts},
		{status.ResourceAutoscalers, func() client.ObjectList { return &autoscalingv2.HorizontalPodAutoscalerList{} }, opts},
	}
}

// unhealthyOf are the Events of probes that fail.
func unhealthyOf(namespace string) source {
	return source{status.ResourceEvents, func() client.ObjectList { return &corev1.EventList{} }, []client.ListOption{
		client.InNamespace(namespace), client.MatchingFields{"involvedObject.kind": "Pod", "reason": diagnose.EventUnhealthy},
	}}
}

// addObject adds an object of any source.
func addObject(objs *status.Objects, o any) {
	switch o := o.(type) {
	case *v1.GatiHandler:
		objs.Handlers = append(objs.Handlers, *o)
	case *v1.GatiModule:
		objs.Modules = append(objs.Modules, *o)
	case *v1.GatiVersion:
		objs.Versions = append(objs.Versions, *o)
	case *appsv1.Deployment:
		objs.Deployments = append(objs.Deployments, *o)
	case *corev1.Pod:
		objs.Pods = append(objs.Pods, *o)
	case *autoscalingv2.HorizontalPodAutoscaler:
		objs.Autoscalers = append(objs.Autoscalers, *o)
	case *corev1.Event:
		objs.Events = append(objs.Events, *o)
	}
}

// ownerSources returns the lists of the handlers and modules of the scope themselves. The kinds
// of its names must be known.
func (s Scope) ownerSources() ([]source, error) {
	in := client.InNamespace(s.Namespace)
	if len(s.Refs) == 0 {
		selector, err := labels.Parse(s.Selector)
		if err != nil {
			return nil, fmt.Errorf("selector %q: %w", s.Selector, err)
		}
		chosen := client.MatchingLabelsSelector{Selector: selector}
		return []source{handlersOf(in, chosen), modulesOf(in, chosen)}, nil
	}
	var out []source
	for _, r := range s.Refs {
		one := client.MatchingFields{"metadata.name": r.Name}
		if r.Kind == status.KindModule {
			out = append(out, modulesOf(in, one))
		} else {
			out = append(out, handlersOf(in, one))
		}
	}
	return out, nil
}

// ownedSources returns the sources of the children of the scope's handlers and modules,
// where their kinds are known.
func (s Scope) ownedSources() []source {
	in := client.InNamespace(s.Namespace)
	if len(s.Refs) == 0 {
		return append(childrenOf(in, client.HasLabels{v1.LabelWorkload}), versionsOf(in))
	}
	var out []source
	for kind, label := range ownerLabels {
		if names := namesOf(s.Refs, kind); len(names) > 0 {
			own := ownerOption(label, names)
			out = append(out, childrenOf(in, own)...)
			if kind == status.KindHandler {
				out = append(out, versionsOf(in, own))
			}
		}
	}
	return out
}

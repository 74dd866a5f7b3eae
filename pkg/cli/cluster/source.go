package cluster

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/status"
)

// source is one list to keep up with, with the selector that makes it small.
type source struct {
	resource string
	list     func() client.ObjectList
	opts     []client.ListOption
}

// sourcesOf returns the lists that show one handler or module.
func sourcesOf(namespace string, ref Ref) []source {
	in, one := client.InNamespace(namespace), client.MatchingFields{"metadata.name": ref.Name}
	own := client.MatchingLabels{v1.LabelHandler: ref.Name}
	var sources []source
	if ref.Kind == status.KindModule {
		own = client.MatchingLabels{v1.LabelModule: ref.Name}
		sources = append(sources, source{status.ResourceModules, func() client.ObjectList { return &v1.GatiModuleList{} }, []client.ListOption{in, one}})
	} else {
		sources = append(sources,
			source{status.ResourceHandlers, func() client.ObjectList { return &v1.GatiHandlerList{} }, []client.ListOption{in, one}},
			source{status.ResourceVersions, func() client.ObjectList { return &v1.GatiVersionList{} }, []client.ListOption{in, own}},
		)
	}
	return append(sources,
		source{status.ResourceDeployments, func() client.ObjectList { return &appsv1.DeploymentList{} }, []client.ListOption{in, own}},
		source{status.ResourcePods, func() client.ObjectList { return &corev1.PodList{} }, []client.ListOption{in, own}},
		source{status.ResourceAutoscalers, func() client.ObjectList { return &autoscalingv2.HorizontalPodAutoscalerList{} }, []client.ListOption{in, own}},
	)
}

// loop lists and watches a source until the context ends. Where watching is not
// allowed or breaks off, listing again takes its place.
func (f *feed) loop(ctx context.Context, s source) {
	for {
		if err := f.once(ctx, s); err != nil && ctx.Err() == nil {
			f.store.failed(s.resource, brief(err))
		}
		if !sleep(ctx, retry) {
			return
		}
	}
}

// once lists the source and then follows it until the watch ends.
func (f *feed) once(ctx context.Context, s source) error {
	l := s.list()
	if err := f.c.List(ctx, l, s.opts...); err != nil {
		return err
	}
	items := map[string]client.Object{}
	if err := meta.EachListItem(l, func(o runtime.Object) error {
		items[o.(client.Object).GetName()] = o.(client.Object)
		return nil
	}); err != nil {
		return err
	}
	f.store.replace(s.resource, items)
	from := &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: l.GetResourceVersion()}}
	w, err := f.c.Watch(ctx, s.list(), append([]client.ListOption{from}, s.opts...)...)
	if apierrors.IsForbidden(err) {
		return nil // the list is there, and is read again
	}
	if err != nil {
		return err
	}
	defer w.Stop()
	return f.apply(s, w.ResultChan())
}

// apply brings events into the store. An error event, such as one about a
// version that is too old, ends the watch; the next list makes up for it.
func (f *feed) apply(s source, events <-chan watch.Event) error {
	for e := range events {
		o, ok := e.Object.(client.Object)
		switch {
		case e.Type == watch.Error || !ok:
			return nil
		case e.Type == watch.Deleted:
			f.store.remove(s.resource, o.GetName())
		default:
			f.store.put(s.resource, o)
		}
	}
	return nil
}

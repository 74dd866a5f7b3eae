package cluster

import (
	"context"
	"time"

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

// The lists that can be kept up with.
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

// sourcesOf returns the lists that show what is in the scope. The kinds of its names
// must be known.
func (s Scope) sourcesOf() ([]source, error) {
	in := client.InNamespace(s.Namespace)
	if len(s.Refs) == 0 {
		chosen, err := selectorOption(s.Selector)
		if err != nil {
			return nil, err
		}
		return append(childrenOf(in, client.HasLabels{v1.LabelWorkload}), handlersOf(in, chosen), modulesOf(in, chosen), versionsOf(in)), nil
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
	for kind, label := range owners {
		if names := namesOf(s.Refs, kind); len(names) > 0 {
			own := ownerOption(label, names)
			out = append(out, childrenOf(in, own)...)
			if kind == status.KindHandler {
				out = append(out, versionsOf(in, own))
			}
		}
	}
	return out, nil
}

// followSource lists and watches a source until the context ends. Where watching is not
// allowed or breaks off, listing again takes its place.
func (f *feed) followSource(ctx context.Context, id int, s source) {
	for {
		began := time.Now()
		if err := f.listAndWatch(ctx, id, s); err != nil && ctx.Err() == nil {
			f.store.recordFailure(id, err, began)
		}
		if !sleepFor(ctx, retry) {
			return
		}
	}
}

// listAndWatch lists the source and then follows it until the watch ends.
func (f *feed) listAndWatch(ctx context.Context, id int, s source) error {
	l := s.list()
	if err := f.withPatience(ctx, id, func(ctx context.Context) error { return f.c.List(ctx, l, s.opts...) }); err != nil {
		return err
	}
	items := map[client.ObjectKey]client.Object{}
	if err := meta.EachListItem(l, func(o runtime.Object) error {
		items[client.ObjectKeyFromObject(o.(client.Object))] = o.(client.Object)
		return nil
	}); err != nil {
		return err
	}
	f.store.replaceAll(id, items)
	from := &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: l.GetResourceVersion()}}
	w, err := f.c.Watch(ctx, s.list(), append([]client.ListOption{from}, s.opts...)...)
	if apierrors.IsForbidden(err) {
		return nil // the list is there, and is read again
	}
	if err != nil {
		return err
	}
	defer w.Stop()
	return f.applyEvents(id, w.ResultChan())
}

// withPatience bounds one request: a server that takes it and never answers is as good
// as none. Who looks is told sooner that there is no answer yet.
func (f *feed) withPatience(ctx context.Context, id int, ask func(context.Context) error) error {
	bounded, cancel := context.WithTimeout(ctx, f.patience)
	defer cancel()
	if !f.live {
		return ask(bounded)
	}
	began, answered := time.Now(), make(chan error, 1)
	go func() { answered <- ask(bounded) }()
	select {
	case err := <-answered:
		return err
	case <-time.After(silence):
		f.store.recordFailure(id, errSilent, began)
		return <-answered
	}
}

// applyEvents brings events into the store. An error event, such as one about a
// version that is too old, ends the watch; the next list makes up for it.
func (f *feed) applyEvents(id int, events <-chan watch.Event) error {
	for e := range events {
		o, ok := e.Object.(client.Object)
		switch {
		case e.Type == watch.Error || !ok:
			return nil
		case e.Type == watch.Deleted:
			f.store.removeObject(id, client.ObjectKeyFromObject(o))
		default:
			f.store.putObject(id, o)
		}
	}
	return nil
}

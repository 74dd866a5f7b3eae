package cluster

import (
	"context"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/pager"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/status"
)

// readSources reads lists side by side, in chunks as kubectl does. What cannot be read is
// named in the objects and returned by resource: one forbidden list must not hide the
// others.
func readSources(ctx context.Context, c client.Reader, objs *status.Objects, sources []source) map[string]error {
	var reading sync.WaitGroup
	var mu sync.Mutex
	errs := map[string]error{}
	for _, s := range sources {
		reading.Go(func() {
			list, _, err := pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
				return s.readPage(ctx, c, o)
			}).List(ctx, metav1.ListOptions{})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				err = meta.EachListItem(list, func(o runtime.Object) error { addObject(objs, o); return nil })
			}
			if err != nil {
				objs.Unread = append(objs.Unread, status.Unread{Resource: s.resource, Reason: reasonFor(err)})
				errs[s.resource] = err
			}
		})
	}
	reading.Wait()
	return errs
}

// Read reads the objects of the scope once.
func Read(ctx context.Context, c client.Reader, s Scope) (status.Objects, error) {
	if len(s.Refs) > 0 {
		return Named(ctx, c, s.Namespace, s.Refs...)
	}
	return Namespace(ctx, c, s.Namespace, s.Selector)
}

// Namespace reads all handlers and modules of a namespace, or of all when it is
// empty, that the selector selects, with their children and records. It fails
// when there is nothing to show at all.
func Namespace(ctx context.Context, c client.Reader, namespace, selector string) (status.Objects, error) {
	s := Scope{Namespace: namespace, Selector: selector}
	return s.readSelected(ctx, c, s.ownedSources())
}

// Glance reads the handlers and modules of a scope alone, one that is named by its
// kind in a single request. What belongs to them is named as not read yet.
func Glance(ctx context.Context, c client.Reader, s Scope) (objs status.Objects, err error) {
	if len(s.Refs) > 0 {
		objs, err = Alone(ctx, c, s.Namespace, s.Refs...)
	} else {
		objs, err = s.readSelected(ctx, c, nil)
	}
	for _, resource := range []string{status.ResourceVersions, status.ResourceDeployments, status.ResourcePods, status.ResourceAutoscalers} {
		objs.Unread = append(objs.Unread, status.Unread{Resource: resource, Reason: status.NotYet})
	}
	return objs, err
}

// readSelected reads the handlers and modules that the scope selects, and other lists
// beside them.
func (s Scope) readSelected(ctx context.Context, c client.Reader, besides []source) (status.Objects, error) {
	objs := status.Objects{Namespace: s.Namespace}
	owners, err := s.ownerSources()
	if err != nil {
		return objs, err
	}
	errs := readSources(ctx, c, &objs, append(owners, besides...))
	if err := errs[status.ResourceHandlers]; err != nil && errs[status.ResourceModules] != nil {
		return objs, Explain(err)
	}
	s.dropUnselected(&objs)
	return objs, nil
}

// dropUnselected drops the records of handlers that are not selected: labels of a
// handler say nothing of its records.
func (s Scope) dropUnselected(objs *status.Objects) {
	if s.Selector == "" {
		return
	}
	objs.Versions = slices.DeleteFunc(objs.Versions, func(r v1.GatiVersion) bool {
		return !slices.ContainsFunc(objs.Handlers, func(h v1.GatiHandler) bool {
			return h.Namespace == r.Namespace && h.Name == r.Labels[v1.LabelHandler]
		})
	})
}

// Handlers reads the handlers of a namespace that a selector selects, and nothing
// else.
func Handlers(ctx context.Context, c client.Reader, namespace, selector string) ([]v1.GatiHandler, error) {
	owners, err := Scope{Namespace: namespace, Selector: selector}.ownerSources()
	if err != nil {
		return nil, err
	}
	var objs status.Objects
	errs := readSources(ctx, c, &objs, owners[:1])
	return objs.Handlers, Explain(errs[status.ResourceHandlers])
}

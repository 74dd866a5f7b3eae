package cluster

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/status"
)

// Glance reads the handlers and modules of a scope alone, one that is named by its
// kind in a single request. What belongs to them is named as not read yet.
func Glance(ctx context.Context, c client.Reader, s Scope) (status.Objects, error) {
	objs, err := readOwners(ctx, c, s)
	for _, resource := range []string{status.ResourceVersions, status.ResourceDeployments, status.ResourcePods, status.ResourceAutoscalers} {
		objs.Unread = append(objs.Unread, status.Unread{Resource: resource, Reason: status.NotYet})
	}
	return objs, err
}

func readOwners(ctx context.Context, c client.Reader, s Scope) (status.Objects, error) {
	if len(s.Refs) > 0 {
		return Alone(ctx, c, s.Namespace, s.Refs...)
	}
	objs := status.Objects{Namespace: s.Namespace}
	chosen, err := selectorOption(s.Selector)
	if err != nil {
		return objs, err
	}
	r := newReader(ctx, c)
	readInto(r, status.ResourceHandlers, &objs.Handlers, handlers, []client.ListOption{client.InNamespace(s.Namespace), chosen})
	readInto(r, status.ResourceModules, &objs.Modules, modules, []client.ListOption{client.InNamespace(s.Namespace), chosen})
	r.awaitReads(&objs)
	if err := r.errs[status.ResourceHandlers]; err != nil && r.errs[status.ResourceModules] != nil {
		return objs, Explain(err)
	}
	return objs, nil
}

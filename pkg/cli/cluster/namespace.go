package cluster

import (
	"context"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/status"
)

// Namespace reads all handlers and modules of a namespace, or of all when it is
// empty, that the selector selects, with their children and records. It fails
// when there is nothing to show at all.
func Namespace(ctx context.Context, c client.Reader, namespace, selector string) (status.Objects, error) {
	objs := status.Objects{Namespace: namespace}
	in := client.InNamespace(namespace)
	chosen, err := selectorOption(selector)
	if err != nil {
		return objs, err
	}
	r := newReader(ctx, c)
	r.startRead(status.ResourceHandlers, func() (err error) {
		objs.Handlers, err = listAll(ctx, c, handlers, in, chosen)
		return err
	})
	r.startRead(status.ResourceModules, func() (err error) {
		objs.Modules, err = listAll(ctx, c, modules, in, chosen)
		return err
	})
	r.readVersions(&objs, in)
	r.readChildren(&objs, in, client.HasLabels{v1.LabelWorkload})
	r.awaitReads(&objs)
	if r.errs[status.ResourceHandlers] != nil && r.errs[status.ResourceModules] != nil {
		return objs, Explain(r.errs[status.ResourceHandlers])
	}
	if selector != "" {
		objs.Versions = ofHandlers(objs.Versions, objs.Handlers)
	}
	return objs, nil
}

// ofHandlers keeps the records of the handlers selected: labels of a handler
// say nothing of its records.
func ofHandlers(records []v1.GatiVersion, selected []v1.GatiHandler) []v1.GatiVersion {
	return slices.DeleteFunc(records, func(r v1.GatiVersion) bool {
		return !slices.ContainsFunc(selected, func(h v1.GatiHandler) bool {
			return h.Namespace == r.Namespace && h.Name == r.Labels[v1.LabelHandler]
		})
	})
}

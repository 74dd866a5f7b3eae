package diff

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/planned"
)

// world is the cluster with the manifests applied.
type world struct {
	client  client.Client
	applied *applied
	planner planned.Cluster
}

// diffOwner has the changes of one owner's children.
func (w *world) diffOwner(ctx context.Context, o owner) (Item, error) {
	if o.module != nil {
		return w.diffModule(ctx, o.module)
	}
	if o.handler == nil {
		var h v1.GatiHandler
		if err := w.client.Get(ctx, client.ObjectKey{Namespace: o.namespace, Name: o.name}, &h); apierrors.IsNotFound(err) {
			return Item{Kind: "GatiHandler", Namespace: o.namespace, Name: o.name, Note: "there is no such handler yet"}, nil
		} else if err != nil {
			return Item{}, cluster.Explain(err)
		}
		o.handler = &h
	}
	return w.diffHandler(ctx, o.handler)
}

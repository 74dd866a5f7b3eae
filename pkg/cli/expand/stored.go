package expand

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/exit"
)

// readStored reads objects by their names. The image that the namespace names is in
// their status.
func (o *options) readStored(ctx context.Context, names []string) ([]document, error) {
	refs, err := cluster.ParseRefs(names)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	namespace, err := o.env.Namespace()
	if err != nil {
		return nil, err
	}
	c, err := cluster.Connect(o.env)
	if err != nil {
		return nil, err
	}
	ctx, cancel := cluster.Bounded(ctx, o.env)
	defer cancel()
	found, err := cluster.Alone(ctx, c, namespace, refs...)
	if err != nil {
		return nil, err
	}
	var docs []document
	add := func(object client.Object, kind, image string) {
		object.GetObjectKind().SetGroupVersionKind(v1.GroupVersion.WithKind(kind))
		docs = append(docs, document{source: "the cluster", object: object, image: image})
	}
	for i := range found.Handlers {
		add(&found.Handlers[i], "GatiHandler", found.Handlers[i].Status.Image)
	}
	for i := range found.Modules {
		add(&found.Modules[i], "GatiModule", found.Modules[i].Status.Image)
	}
	return docs, nil
}

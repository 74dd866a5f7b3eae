package expand

import (
	"context"
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/planned"
)

// expandStored returns the children that objects of the cluster should have now.
func (o *options) expandStored(ctx context.Context, names []string) ([]client.Object, error) {
	refs, err := cluster.ParseRefs(names)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	namespace, err := o.env.Namespace()
	if err != nil {
		return nil, err
	}
	c, err := cluster.ConnectChildren(o.env)
	if err != nil {
		return nil, err
	}
	ctx, cancel := cluster.Bounded(ctx, o.env)
	defer cancel()
	found, err := cluster.Alone(ctx, c, namespace, refs...)
	if err != nil {
		return nil, err
	}
	planner := planned.Cluster{Reader: c, Image: func(string) string { return o.image }, Now: o.env.Now()}
	var plan []client.Object
	var faults []error
	add := func(title string, children planned.Children, err error) {
		for _, w := range children.Warnings {
			fmt.Fprintf(o.env.Streams.ErrOut, "warning: %s: %s\n", title, w)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", title, err))
		}
		plan = append(plan, children.Children...)
	}
	asStored := func(records []v1.GatiVersion) []v1.GatiVersion { return records }
	for i := range found.Handlers {
		h := &found.Handlers[i]
		children, err := planner.Handler(ctx, h, asStored)
		add("gh/"+h.Name, children, err)
	}
	for i := range found.Modules {
		m := &found.Modules[i]
		children, err := planner.Module(ctx, m)
		add("gm/"+m.Name, children, err)
	}
	return plan, errors.Join(faults...)
}

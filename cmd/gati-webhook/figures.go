package main

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	registry "sigs.k8s.io/controller-runtime/pkg/metrics"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/metrics"
)

// figures has what the status of handlers says gathered while this replica leads:
// where each replica told the same, every sum would be too large.
type figures struct{ *metrics.Handlers }

// newFigures reads from the cache, and copies nothing: nothing is changed.
func newFigures(cached client.Reader) figures {
	return figures{metrics.NewHandlers(func(ctx context.Context) ([]v1.GatiHandler, error) {
		var list v1.GatiHandlerList
		err := cached.List(ctx, &list, client.UnsafeDisableDeepCopy)
		return list.Items, err
	})}
}

// Start tells the figures until the context ends.
func (f figures) Start(ctx context.Context) error {
	if err := registry.Registry.Register(f); err != nil {
		return err
	}
	defer registry.Registry.Unregister(f)
	<-ctx.Done()
	return nil
}

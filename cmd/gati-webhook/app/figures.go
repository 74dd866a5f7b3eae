package app

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	registry "sigs.k8s.io/controller-runtime/pkg/metrics"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/metrics"
)

// handlerMetrics exports the status of handlers while this replica leads: exported
// by every replica, each sum would be a multiple.
type handlerMetrics struct{ *metrics.Handlers }

// newHandlerMetrics lists handlers from the cache without copies, because none is
// changed.
func newHandlerMetrics(cached client.Reader) handlerMetrics {
	return handlerMetrics{metrics.NewHandlers(func(ctx context.Context) ([]v1.GatiHandler, error) {
		var list v1.GatiHandlerList
		err := cached.List(ctx, &list, client.UnsafeDisableDeepCopy)
		return list.Items, err
	})}
}

// Start exports the metrics until the context ends.
func (f handlerMetrics) Start(ctx context.Context) error {
	if err := registry.Registry.Register(f); err != nil {
		return err
	}
	defer registry.Registry.Unregister(f)
	<-ctx.Done()
	return nil
}

package app

import (
	"context"
	"sync"
	"time"

	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// termCache is the manager's cache during one term as leader. The event handlers that
// controllers add end with the term: the informers live on, and would go on calling
// them for queues that are shut down.
type termCache struct {
	cache.Cache

	mu      sync.Mutex
	ended   bool
	removes []func()
}

// GetInformer returns an informer whose event handlers end with the term.
func (c *termCache) GetInformer(ctx context.Context, obj client.Object, opts ...cache.InformerGetOption) (cache.Informer, error) {
	informer, err := c.Cache.GetInformer(ctx, obj, opts...)
	if err != nil {
		return nil, err
	}
	return termInformer{Informer: informer, term: c}, nil
}

// removeHandlers removes the event handlers.
func (c *termCache) removeHandlers() {
	c.mu.Lock()
	removes := c.removes
	c.ended, c.removes = true, nil
	c.mu.Unlock()
	for _, remove := range removes {
		remove()
	}
}

// atEnd calls a function when the term ends, at once if it has.
func (c *termCache) atEnd(remove func()) {
	c.mu.Lock()
	ended := c.ended
	if !ended {
		c.removes = append(c.removes, remove)
	}
	c.mu.Unlock()
	if ended {
		remove()
	}
}

// termInformer adds event handlers for one term.
type termInformer struct {
	cache.Informer
	term *termCache
}

func (i termInformer) AddEventHandler(h toolscache.ResourceEventHandler) (toolscache.ResourceEventHandlerRegistration, error) {
	return i.removeAtEnd(i.Informer.AddEventHandler(h))
}

func (i termInformer) AddEventHandlerWithResyncPeriod(h toolscache.ResourceEventHandler, resync time.Duration) (toolscache.ResourceEventHandlerRegistration, error) {
	return i.removeAtEnd(i.Informer.AddEventHandlerWithResyncPeriod(h, resync))
}

func (i termInformer) AddEventHandlerWithOptions(h toolscache.ResourceEventHandler, options toolscache.HandlerOptions) (toolscache.ResourceEventHandlerRegistration, error) {
	return i.removeAtEnd(i.Informer.AddEventHandlerWithOptions(h, options))
}

func (i termInformer) removeAtEnd(added toolscache.ResourceEventHandlerRegistration, err error) (toolscache.ResourceEventHandlerRegistration, error) {
	if err == nil {
		i.term.atEnd(func() { _ = i.RemoveEventHandler(added) })
	}
	return added, err
}

package app

import (
	"context"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// sharedManager has one informer, which outlives the terms.
type sharedManager struct {
	ctrl.Manager
	cache sharedCache
}

func (m sharedManager) GetCache() cache.Cache { return m.cache }

type sharedCache struct {
	cache.Cache
	informer *countingInformer
}

func (c sharedCache) GetInformer(context.Context, client.Object, ...cache.InformerGetOption) (cache.Informer, error) {
	return c.informer, nil
}

// countingInformer counts the event handlers that it calls.
type countingInformer struct {
	cache.Informer
	handlers int
}

func (i *countingInformer) AddEventHandler(toolscache.ResourceEventHandler) (toolscache.ResourceEventHandlerRegistration, error) {
	i.handlers++
	return nil, nil
}

func (i *countingInformer) AddEventHandlerWithResyncPeriod(h toolscache.ResourceEventHandler, _ time.Duration) (toolscache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(h)
}

func (i *countingInformer) AddEventHandlerWithOptions(h toolscache.ResourceEventHandler, _ toolscache.HandlerOptions) (toolscache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(h)
}

func (i *countingInformer) RemoveEventHandler(toolscache.ResourceEventHandlerRegistration) error {
	i.handlers--
	return nil
}

// A term that ends takes its event handlers along, those that are added late as well.
func TestTermEndsItsEventHandlers(t *testing.T) {
	informer := &countingInformer{}
	l := &leader{mgr: sharedManager{cache: sharedCache{informer: informer}}, log: logr.Discard()}
	handlers := toolscache.ResourceEventHandlerFuncs{}
	var late cache.Informer
	l.register = func(mgr ctrl.Manager) error {
		return mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
			i, err := mgr.GetCache().GetInformer(ctx, &corev1.Pod{})
			if err != nil {
				return err
			}
			late = i
			_, first := i.AddEventHandler(handlers)
			_, second := i.AddEventHandlerWithOptions(handlers, toolscache.HandlerOptions{})
			_, third := i.AddEventHandlerWithResyncPeriod(handlers, time.Minute)
			for _, err := range []error{first, second, third} {
				if err != nil {
					return err
				}
			}
			if informer.handlers != 3 {
				t.Errorf("%d event handlers in the term, want 3", informer.handlers)
			}
			<-ctx.Done()
			return nil
		}))
	}
	for term := range 3 {
		ctx, end := context.WithTimeout(t.Context(), 50*time.Millisecond)
		err := l.runControllers(ctx)
		end()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := late.AddEventHandler(handlers); err != nil {
			t.Fatal(err)
		}
		if informer.handlers != 0 {
			t.Errorf("after term %d the informer has %d event handlers, want none", term+1, informer.handlers)
		}
	}
}

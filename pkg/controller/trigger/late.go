package trigger

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"time"

	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// fillTime is how long a reconciliation waits for a new watch to be filled.
const fillTime = 10 * time.Second

// Late watches kinds of children while the cluster serves them: their API may be installed
// after us, removed, and installed again.
type Late struct {
	controller controller.Controller
	cache      cache.Cache
	label      string

	mu sync.Mutex
	// watched has the informer of each kind. It is another one after the API came back.
	watched map[reflect.Type]cache.Informer
}

// Bind names the controller and the cache of the watches, and the label that names owners
// of the kind in question.
func (l *Late) Bind(c controller.Controller, from cache.Cache, label string) {
	l.controller, l.cache, l.label, l.watched = c, from, label, map[reflect.Type]cache.Informer{}
}

// Ensure watches a kind as soon as it is served, and returns once the watch is filled: a
// read would wait for ever for a watch that ends before. Without a controller nothing is
// watched.
func (l *Late) Ensure(ctx context.Context, kind client.Object, served func() (bool, error)) error {
	if l.controller == nil {
		return nil
	}
	if now, err := served(); err != nil || !now {
		return err
	}
	informer, err := l.cache.GetInformer(ctx, kind, cache.BlockUntilSynced(false))
	if err != nil {
		return err
	}
	if err := l.watch(kind, informer); err != nil || informer.HasSynced() {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, fillTime)
	defer cancel()
	if !toolscache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return fmt.Errorf("the watch is not filled after %s", fillTime)
	}
	return nil
}

// watch starts the controller on the events of an informer, once for each.
func (l *Late) watch(kind client.Object, informer cache.Informer) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.watched[reflect.TypeOf(kind)] == informer {
		return nil
	}
	err := l.controller.Watch(source.Kind(l.cache, kind, handler.EnqueueRequestsFromMapFunc(ByOwner(l.label))))
	if err == nil {
		l.watched[reflect.TypeOf(kind)] = informer
	}
	return err
}

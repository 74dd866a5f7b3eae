package trigger

import (
	"reflect"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// Late starts to watch kinds of children once the cluster serves them: their API may be
// installed after us.
type Late struct {
	controller controller.Controller
	cache      cache.Cache
	label      string

	mu      sync.Mutex
	started map[reflect.Type]bool
}

// Bind names the controller and the cache of the watches, and the label that names owners
// of the kind in question.
func (l *Late) Bind(c controller.Controller, from cache.Cache, label string) {
	l.controller, l.cache, l.label, l.started = c, from, label, map[reflect.Type]bool{}
}

// Ensure watches a kind as soon as it is served. Without a controller nothing is watched.
func (l *Late) Ensure(kind client.Object, served func() (bool, error)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.controller == nil || l.started[reflect.TypeOf(kind)] {
		return nil
	}
	if now, err := served(); err != nil || !now {
		return err
	}
	if err := l.controller.Watch(source.Kind(l.cache, kind, handler.EnqueueRequestsFromMapFunc(ByOwner(l.label)))); err != nil {
		return err
	}
	l.started[reflect.TypeOf(kind)] = true
	return nil
}

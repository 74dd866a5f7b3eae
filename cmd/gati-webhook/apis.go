package main

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// askAgain is how long "not served" is believed: an operator may install an API
// while we run. What is served stays so.
const askAgain = 30 * time.Second

// apis knows which optional APIs the cluster serves.
type apis struct {
	mapper meta.RESTMapper
	now    func() time.Time

	mu     sync.Mutex
	served map[schema.GroupVersionKind]bool
	asked  map[schema.GroupVersionKind]time.Time
}

func newAPIs(mapper meta.RESTMapper) *apis {
	return &apis{
		mapper: mapper,
		now:    time.Now,
		served: map[schema.GroupVersionKind]bool{},
		asked:  map[schema.GroupVersionKind]time.Time{},
	}
}

// Served reports whether the cluster serves a kind. If it cannot be found out,
// the last answer holds, and before there is one the error is returned.
func (a *apis) Served(kind schema.GroupVersionKind) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	asked, known := a.asked[kind]
	if a.served[kind] || known && a.now().Sub(asked) < askAgain {
		return a.served[kind], nil
	}
	_, err := a.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil && !meta.IsNoMatchError(err) {
		if known {
			err = nil
		}
		return a.served[kind], err
	}
	a.served[kind], a.asked[kind] = err == nil, a.now()
	return a.served[kind], nil
}

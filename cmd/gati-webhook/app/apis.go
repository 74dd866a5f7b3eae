package app

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// notServedTTL is how long "not served" is cached: an operator may install an API
// at any time. "Served" is cached for good.
const notServedTTL = 30 * time.Second

// apis caches which optional APIs the cluster serves.
type apis struct {
	mapper meta.RESTMapper
	now    func() time.Time

	mu        sync.Mutex
	served    map[schema.GroupVersionKind]bool
	checkedAt map[schema.GroupVersionKind]time.Time
}

func newAPIs(mapper meta.RESTMapper) *apis {
	return &apis{
		mapper:    mapper,
		now:       time.Now,
		served:    map[schema.GroupVersionKind]bool{},
		checkedAt: map[schema.GroupVersionKind]time.Time{},
	}
}

// Served reports whether the cluster serves a kind. If discovery fails, the last
// answer is returned, or the error if there is none.
func (a *apis) Served(kind schema.GroupVersionKind) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	asked, known := a.checkedAt[kind]
	if a.served[kind] || known && a.now().Sub(asked) < notServedTTL {
		return a.served[kind], nil
	}
	_, err := a.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil && !meta.IsNoMatchError(err) {
		if known {
			err = nil
		}
		return a.served[kind], err
	}
	a.served[kind], a.checkedAt[kind] = err == nil, a.now()
	return a.served[kind], nil
}

package kubernetes

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// caughtUp is how long a cache may lag behind a write before the write is forgotten:
	// it would then be repeated, which changes nothing. At most maxRecent are kept: objects
	// stay until the cache shows them, so these are many more than are written at once.
	caughtUp  = time.Minute
	maxRecent = 1_000
)

// recent has the objects as the API server answered our last writes of them, until the
// cache shows them. Without it the cache, which lags, has each write made once more.
type recent struct{ written *cache.LRUExpireCache }

func newRecent(c clock.PassiveClock) *recent {
	return &recent{written: cache.NewLRUExpireCacheWithClock(maxRecent, c)}
}

// rememberAnswer keeps the answer to a write.
func (r *recent) rememberAnswer(answer *unstructured.Unstructured) {
	if r != nil && answer.GetUID() != "" && answer.GetResourceVersion() != "" {
		r.written.Add(answer.GetUID(), answer, caughtUp)
	}
}

// newestState returns an object as it was last written where the cache shows an earlier state
// of it, else the object itself.
func (r *recent) newestState(cached client.Object, scheme *runtime.Scheme) client.Object {
	if r == nil {
		return cached
	}
	answer, known := r.answerFor(cached.GetUID())
	if !known {
		return cached
	}
	if order, err := resourceversion.CompareResourceVersion(cached.GetResourceVersion(), answer.GetResourceVersion()); err != nil || order >= 0 {
		r.written.Remove(cached.GetUID())
		return cached
	}
	typed, err := scheme.New(answer.GroupVersionKind())
	if err != nil || runtime.DefaultUnstructuredConverter.FromUnstructured(answer.Object, typed) != nil {
		return cached
	}
	return typed.(client.Object)
}

func (r *recent) answerFor(uid types.UID) (*unstructured.Unstructured, bool) {
	value, known := r.written.Get(uid)
	if !known {
		return nil, false
	}
	return value.(*unstructured.Unstructured), true
}

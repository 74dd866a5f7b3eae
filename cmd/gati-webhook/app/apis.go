package app

import (
	"context"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
)

// apisPeriod is how often the API server is asked which optional APIs it serves: an
// operator may install or remove one at any time.
const apisPeriod = 10 * time.Second

// apis knows which optional APIs the cluster serves.
type apis struct {
	// discover returns the resources of a group and version.
	discover func(groupVersion string) (*metav1.APIResourceList, error)
	// unwatch ends the watch of a kind that is not served: it would log an error for ever.
	unwatch func(schema.GroupVersionKind)

	mu     sync.Mutex
	served map[schema.GroupVersionKind]bool
}

func newAPIs(discover func(string) (*metav1.APIResourceList, error), unwatch func(schema.GroupVersionKind)) *apis {
	return &apis{discover: discover, unwatch: unwatch, served: map[schema.GroupVersionKind]bool{}}
}

// Served reports whether the cluster serves a kind, by the last answer of the API
// server. Without one it asks.
func (a *apis) Served(kind schema.GroupVersionKind) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if served, known := a.served[kind]; known {
		return served, nil
	}
	served, err := a.askServer(kind)
	if err == nil {
		a.served[kind] = served
	}
	return served, err
}

// NeedLeaderElection is false, because the hooks of every replica ask.
func (a *apis) NeedLeaderElection() bool { return false }

// Start keeps the answers up to date until the context ends.
func (a *apis) Start(ctx context.Context) error {
	wait.UntilWithContext(ctx, func(context.Context) { a.refreshKinds() }, apisPeriod)
	return nil
}

// refreshKinds asks anew about every kind. An error is no answer: the last one stays.
func (a *apis) refreshKinds() {
	a.mu.Lock()
	var kinds []schema.GroupVersionKind
	for kind := range a.served {
		kinds = append(kinds, kind)
	}
	a.mu.Unlock()
	for _, kind := range kinds {
		served, err := a.askServer(kind)
		if err != nil {
			continue
		}
		a.mu.Lock()
		a.served[kind] = served
		a.mu.Unlock()
		if !served {
			a.unwatch(kind)
		}
	}
}

// askServer asks the API server, not a RESTMapper, which never forgets a kind.
func (a *apis) askServer(kind schema.GroupVersionKind) (bool, error) {
	list, err := a.discover(kind.GroupVersion().String())
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Kind == kind.Kind }), nil
}

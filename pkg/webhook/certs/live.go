package certs

import (
	"context"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// State is one target as it stands.
type State struct {
	Target Target
	// Missing tells that the object does not exist.
	Missing         bool
	ResourceVersion string
	Endpoints       []Endpoint
}

// Live reads the targets. Readiness asks it every few seconds, and a CRD is
// large, so it fetches an object only when its metadata say that it changed.
type Live struct {
	reader  client.Reader
	targets []Target

	mu   sync.Mutex
	seen map[Target]State
}

// NewLive returns a reader of the targets. The client's reads have to be live.
func NewLive(reader client.Reader, targets []Target) *Live {
	return &Live{reader: reader, targets: targets, seen: map[Target]State{}}
}

// States are all targets as they stand.
func (l *Live) States(ctx context.Context) ([]State, error) {
	states := make([]State, 0, len(l.targets))
	for _, target := range l.targets {
		state, err := l.state(ctx, target)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", target, err)
		}
		states = append(states, state)
	}
	return states, nil
}

// Endpoints are the clientConfigs of all targets that exist.
func (l *Live) Endpoints(ctx context.Context) ([]Endpoint, error) {
	states, err := l.States(ctx)
	var all []Endpoint
	for _, state := range states {
		all = append(all, state.Endpoints...)
	}
	return all, err
}

func (l *Live) state(ctx context.Context, target Target) (State, error) {
	metadata := &metav1.PartialObjectMetadata{}
	metadata.SetGroupVersionKind(target.GroupVersionKind)
	err := l.reader.Get(ctx, client.ObjectKey{Name: target.Name}, metadata)
	if apierrors.IsNotFound(err) {
		return State{Target: target, Missing: true}, nil
	}
	if err != nil {
		return State{}, err
	}
	if known, ok := l.known(target); ok && known.ResourceVersion == metadata.ResourceVersion {
		return known, nil
	}
	return l.fetch(ctx, target)
}

func (l *Live) fetch(ctx context.Context, target Target) (State, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(target.GroupVersionKind)
	err := l.reader.Get(ctx, client.ObjectKey{Name: target.Name}, object)
	if apierrors.IsNotFound(err) {
		return State{Target: target, Missing: true}, nil
	}
	if err != nil {
		return State{}, err
	}
	found, err := endpoints(target, object)
	if err != nil {
		return State{}, err
	}
	state := State{Target: target, ResourceVersion: object.GetResourceVersion(), Endpoints: found}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen[target] = state
	return state, nil
}

func (l *Live) known(target Target) (State, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	state, ok := l.seen[target]
	return state, ok
}

package certs

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"
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

// States are all targets as they stand. They are read at the same time: an API
// server that is busy takes long over each.
func (l *Live) States(ctx context.Context) ([]State, error) {
	states := make([]State, len(l.targets))
	var group errgroup.Group // What one finds is kept, also when another fails.
	for i, target := range l.targets {
		group.Go(func() error {
			var err error
			if states[i], err = l.state(ctx, target); err != nil {
				return fmt.Errorf("read %s: %w", target, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return states, nil
}

// Endpoints are the clientConfigs of all targets that exist. If the API server
// does not answer in time, they are what was read last, by whomever: its trouble
// must not take all replicas out of service.
func (l *Live) Endpoints(ctx context.Context) ([]Endpoint, error) {
	states, err := l.States(ctx)
	if err != nil {
		var all bool
		if states, all = l.last(); !all {
			return nil, err
		}
	}
	var found []Endpoint
	for _, state := range states {
		found = append(found, state.Endpoints...)
	}
	return found, nil
}

// last is what was read of each target, and whether all of them were.
func (l *Live) last() (states []State, all bool) {
	all = true
	for _, target := range l.targets {
		state, ok := l.known(target)
		states, all = append(states, state), all && ok
	}
	return states, all
}

func (l *Live) state(ctx context.Context, target Target) (State, error) {
	metadata := &metav1.PartialObjectMetadata{}
	metadata.SetGroupVersionKind(target.GroupVersionKind)
	err := l.reader.Get(ctx, client.ObjectKey{Name: target.Name}, metadata)
	if apierrors.IsNotFound(err) {
		return l.keep(State{Target: target, Missing: true}), nil
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
		return l.keep(State{Target: target, Missing: true}), nil
	}
	if err != nil {
		return State{}, err
	}
	found, err := endpoints(target, object)
	if err != nil {
		return State{}, err
	}
	return l.keep(State{Target: target, ResourceVersion: object.GetResourceVersion(), Endpoints: found}), nil
}

// keep remembers a state for as long as its object does not change.
func (l *Live) keep(state State) State {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen[state.Target] = state
	return state
}

func (l *Live) known(target Target) (State, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	state, ok := l.seen[target]
	return state, ok
}

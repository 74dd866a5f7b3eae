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

// State is the observed state of one target.
type State struct {
	Target Target
	// Missing is true when the object does not exist.
	Missing         bool
	ResourceVersion string
	Endpoints       []Endpoint
}

// Live reads the targets. Readiness reads them every few seconds and CRDs are
// large, so an object is fetched only when its metadata show another
// resourceVersion.
//
// The metadata come from the API server's watch cache: from its store, they cost it ten
// times as much, for it decodes the whole CRD. The cache may be behind for a moment. Then
// a change is seen one look later, or an object is fetched once too often.
type Live struct {
	reader  client.Reader
	targets []Target

	mu     sync.Mutex
	states map[Target]State
}

// NewLive returns a reader of the targets. The client must read without a cache.
func NewLive(reader client.Reader, targets []Target) *Live {
	return &Live{reader: reader, targets: targets, states: map[Target]State{}}
}

// States returns the state of all targets. They are read concurrently, because a
// busy API server takes long over each.
func (l *Live) States(ctx context.Context) ([]State, error) {
	states := make([]State, len(l.targets))
	var group errgroup.Group // without a context: states read beside a failure are kept
	for i, target := range l.targets {
		group.Go(func() error {
			var err error
			if states[i], err = l.readState(ctx, target); err != nil {
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

// Endpoints returns the clientConfigs of all targets that exist. If the API server
// does not answer in time, the last ones read are returned: its trouble must not
// take all replicas out of service.
func (l *Live) Endpoints(ctx context.Context) ([]Endpoint, error) {
	states, err := l.States(ctx)
	if err != nil {
		var all bool
		if states, all = l.lastStates(); !all {
			return nil, err
		}
	}
	var found []Endpoint
	for _, state := range states {
		found = append(found, state.Endpoints...)
	}
	return found, nil
}

// lastStates returns the last state read of each target, and whether every target
// has one.
func (l *Live) lastStates() (states []State, all bool) {
	all = true
	for _, target := range l.targets {
		state, ok := l.storedState(target)
		states, all = append(states, state), all && ok
	}
	return states, all
}

// fromWatchCache lets the API server answer from memory. Without it, it reads the whole CRD
// from etcd each time. What it has may be a moment old: another resourceVersion only leads
// to a fetch, which is current.
var fromWatchCache = &client.GetOptions{Raw: &metav1.GetOptions{ResourceVersion: "0"}}

func (l *Live) readState(ctx context.Context, target Target) (State, error) {
	metadata := &metav1.PartialObjectMetadata{}
	metadata.SetGroupVersionKind(target.GroupVersionKind)
	err := l.reader.Get(ctx, client.ObjectKey{Name: target.Name}, metadata, fromWatchCache)
	if apierrors.IsNotFound(err) {
		return l.storeState(State{Target: target, Missing: true}), nil
	}
	if err != nil {
		return State{}, err
	}
	if known, ok := l.storedState(target); ok && known.ResourceVersion == metadata.ResourceVersion {
		return known, nil
	}
	return l.fetchState(ctx, target)
}

func (l *Live) fetchState(ctx context.Context, target Target) (State, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(target.GroupVersionKind)
	err := l.reader.Get(ctx, client.ObjectKey{Name: target.Name}, object)
	if apierrors.IsNotFound(err) {
		return l.storeState(State{Target: target, Missing: true}), nil
	}
	if err != nil {
		return State{}, err
	}
	found, err := readEndpoints(target, object)
	if err != nil {
		return State{}, err
	}
	return l.storeState(State{Target: target, ResourceVersion: object.GetResourceVersion(), Endpoints: found}), nil
}

// storeState remembers a state until the resourceVersion of its object changes.
func (l *Live) storeState(state State) State {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.states[state.Target] = state
	return state
}

func (l *Live) storedState(target Target) (State, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	state, ok := l.states[target]
	return state, ok
}

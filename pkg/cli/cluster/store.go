package cluster

import (
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/status"
)

// store holds the latest objects of some sources. An object in it is never
// changed, only replaced.
type store struct {
	// changed has room for one signal: its reader sees all changes so far.
	changed chan struct{}
	scope   Scope

	mu     sync.Mutex
	states []state
}

// state is the state of one source.
type state struct {
	resource string
	// items is nil until the source was read.
	items map[client.ObjectKey]client.Object
	// err is why it could not be read the last time, and since when.
	err   error
	since time.Time
}

// holdsOwners reports whether the source has handlers or modules, and not what belongs to them.
func (st *state) holdsOwners() bool {
	return st.resource == status.ResourceHandlers || st.resource == status.ResourceModules
}

func newStore(scope Scope, sources []source) *store {
	s := &store{changed: make(chan struct{}, 1), scope: scope, states: make([]state, len(sources))}
	for i := range sources {
		s.states[i].resource = sources[i].resource
	}
	return s
}

// replaceAll takes a whole list.
func (s *store) replaceAll(id int, items map[client.ObjectKey]client.Object) {
	s.applyChange(func() { s.states[id] = state{resource: s.states[id].resource, items: items} })
}

func (s *store) putObject(id int, o client.Object) {
	s.applyChange(func() { s.states[id].items[client.ObjectKeyFromObject(o)] = o })
}

func (s *store) removeObject(id int, key client.ObjectKey) {
	s.applyChange(func() { delete(s.states[id].items, key) })
}

// recordFailure notes why a source cannot be read, and when that was tried. What it last
// held stays.
func (s *store) recordFailure(id int, err error, at time.Time) {
	s.applyChange(func() {
		if st := &s.states[id]; st.err == nil {
			st.since = at
		}
		s.states[id].err = err
	})
}

func (s *store) applyChange(change func()) {
	s.mu.Lock()
	change()
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default: // a signal is waiting already
	}
}

// lostConnection returns why handlers or modules cannot be read, once that has been so for
// long: without them there is nothing to follow.
func (s *store) lostConnection(patience time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.states {
		if st.holdsOwners() && st.err != nil && time.Since(st.since) >= patience {
			return Explain(st.err)
		}
	}
	return nil
}

// collectObjects returns what is known, and whether every source has been tried: a
// handler without its pods would look like one that has none. In part, the handlers
// and modules themselves are enough, and what was not tried is named.
func (s *store) collectObjects(part bool) (objs status.Objects, complete bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	objs.Namespace = s.scope.Namespace
	complete = true
	for _, st := range s.states {
		switch tried := st.items != nil || st.err != nil; {
		case st.err != nil:
			objs.Unread = append(objs.Unread, status.Unread{Resource: st.resource, Reason: reasonFor(st.err)})
		case !tried && part && !st.holdsOwners():
			objs.Unread = append(objs.Unread, status.Unread{Resource: st.resource, Reason: status.NotYet})
		case !tried:
			complete = false
		}
		for _, o := range st.items {
			addObject(&objs, o)
		}
	}
	if s.scope.Selector != "" {
		objs.Versions = ofHandlers(objs.Versions, objs.Handlers)
	}
	return objs, complete
}

func addObject(objs *status.Objects, o client.Object) {
	switch o := o.(type) {
	case *v1.GatiHandler:
		objs.Handlers = append(objs.Handlers, *o)
	case *v1.GatiModule:
		objs.Modules = append(objs.Modules, *o)
	case *v1.GatiVersion:
		objs.Versions = append(objs.Versions, *o)
	case *appsv1.Deployment:
		objs.Deployments = append(objs.Deployments, *o)
	case *corev1.Pod:
		objs.Pods = append(objs.Pods, *o)
	case *autoscalingv2.HorizontalPodAutoscaler:
		objs.Autoscalers = append(objs.Autoscalers, *o)
	}
}

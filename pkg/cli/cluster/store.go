package cluster

import (
	"sync"

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
	// changed has room for one signal: whoever reads it sees all changes so far.
	changed chan struct{}

	mu        sync.Mutex
	namespace string
	sources   int
	items     map[string]map[string]client.Object
	unread    map[string]string
}

func newStore(namespace string, sources int) *store {
	return &store{
		changed:   make(chan struct{}, 1),
		namespace: namespace,
		sources:   sources,
		items:     map[string]map[string]client.Object{},
		unread:    map[string]string{},
	}
}

// replace takes a whole list.
func (s *store) replace(resource string, items map[string]client.Object) {
	s.change(func() {
		s.items[resource] = items
		delete(s.unread, resource)
	})
}

func (s *store) put(resource string, o client.Object) {
	s.change(func() { s.items[resource][o.GetName()] = o })
}

func (s *store) remove(resource, name string) {
	s.change(func() { delete(s.items[resource], name) })
}

// failed notes why a source cannot be read. What it last held stays.
func (s *store) failed(resource, reason string) {
	s.change(func() { s.unread[resource] = reason })
}

func (s *store) change(change func()) {
	s.mu.Lock()
	change()
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default: // a signal is waiting already
	}
}

// objects returns what is known, and whether every source has been tried: a
// handler without its pods would look like one that has none.
func (s *store) objects() (objs status.Objects, complete bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	objs.Namespace = s.namespace
	tried := len(s.items)
	for resource, reason := range s.unread {
		objs.Unread = append(objs.Unread, status.Unread{Resource: resource, Reason: reason})
		if s.items[resource] == nil {
			tried++
		}
	}
	for _, items := range s.items {
		for _, o := range items {
			add(&objs, o)
		}
	}
	return objs, tried == s.sources
}

func add(objs *status.Objects, o client.Object) {
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

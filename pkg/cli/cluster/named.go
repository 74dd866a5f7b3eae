package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/status"
)

// Named reads handlers and modules by their names, with their own children and records, and
// nothing else: one of them in at most six requests. They run side by side; for a bare name
// both kinds are tried first. With an error it returns the objects found so far.
func Named(ctx context.Context, c client.Reader, namespace string, refs ...Ref) (status.Objects, error) {
	return findRefs(ctx, c, namespace, refs, true)
}

// Alone is Named without the children and records.
func Alone(ctx context.Context, c client.Reader, namespace string, refs ...Ref) (status.Objects, error) {
	return findRefs(ctx, c, namespace, refs, false)
}

// ProbeAnswers adds the Events of probes that fail. Without the right to them there are none.
func ProbeAnswers(ctx context.Context, c client.Reader, objs *status.Objects) {
	unread := objs.Unread
	readSources(ctx, c, objs, []source{unhealthyOf(objs.Namespace)})
	objs.Unread = unread
}

func findRefs(ctx context.Context, c client.Reader, namespace string, refs []Ref, children bool) (status.Objects, error) {
	objs := status.Objects{Namespace: namespace}
	sought := make([]*hit, len(refs))
	var looking sync.WaitGroup
	for i, ref := range refs {
		sought[i] = &hit{Ref: ref, key: client.ObjectKey{Namespace: namespace, Name: ref.Name}}
		if ref.Kind == "" {
			looking.Go(func() { sought[i].getEitherKind(ctx, c) })
		}
	}
	looking.Wait()
	s := Scope{Namespace: namespace, Refs: make([]Ref, len(refs))}
	for i, ref := range refs {
		s.Refs[i] = sought[i].Ref
		if ref.Kind != "" {
			looking.Go(func() { sought[i].getByKind(ctx, c) })
		}
	}
	if children {
		readSources(ctx, c, &objs, s.ownedSources())
	}
	looking.Wait()
	var errs []error
	for _, s := range sought {
		errs = append(errs, s.err)
		if s.err == nil {
			s.addTo(&objs)
		}
	}
	return objs, errors.Join(errs...)
}

// hit is one requested name with the objects found.
type hit struct {
	Ref
	key     client.ObjectKey
	handler *v1.GatiHandler
	module  *v1.GatiModule
	err     error
}

// getByKind reads an object whose kind is known.
func (s *hit) getByKind(ctx context.Context, c client.Reader) {
	var err error
	if s.Kind == status.KindModule {
		s.module, err = getObject(ctx, c, s.key, &v1.GatiModule{})
	} else {
		s.handler, err = getObject(ctx, c, s.key, &v1.GatiHandler{})
	}
	s.err = Explain(err)
}

// getEitherKind finds out whether a bare name is that of a handler or of a module.
func (s *hit) getEitherKind(ctx context.Context, c client.Reader) {
	var both sync.WaitGroup
	var asHandler, asModule error
	both.Go(func() { s.handler, asHandler = getObject(ctx, c, s.key, &v1.GatiHandler{}) })
	both.Go(func() { s.module, asModule = getObject(ctx, c, s.key, &v1.GatiModule{}) })
	both.Wait()
	switch {
	case asHandler == nil:
		s.Kind, s.module = status.KindHandler, nil
	case asModule == nil:
		s.Kind = status.KindModule
	case isMissing(asHandler) && isMissing(asModule):
		s.err = fmt.Errorf("no handler or module %q in namespace %s", s.Name, s.key.Namespace)
	case isMissing(asHandler):
		s.err = Explain(asModule)
	default:
		s.err = Explain(asHandler)
	}
}

func (s *hit) addTo(objs *status.Objects) {
	if s.handler != nil {
		objs.Handlers = append(objs.Handlers, *s.handler)
	}
	if s.module != nil {
		objs.Modules = append(objs.Modules, *s.module)
	}
}

// getObject reads one object, nil when that fails.
func getObject[T any, P object[T]](ctx context.Context, c client.Reader, key client.ObjectKey, into P) (P, error) {
	if err := c.Get(ctx, key, into); err != nil {
		return nil, err
	}
	return into, nil
}

// object is a pointer to an object type T.
type object[T any] interface {
	*T
	client.Object
}

// isMissing reports whether the object does not exist, although its kind does.
func isMissing(err error) bool { return apierrors.IsNotFound(err) && !notServed(err) }

package cluster

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/status"
)

// One reads one handler or module with its own children and records, and
// nothing else, in at most six requests. They run side by side; for a bare name
// both kinds are tried first.
func One(ctx context.Context, c client.Reader, namespace string, ref Ref) (status.Objects, error) {
	objs := status.Objects{Namespace: namespace}
	if ref.Kind == "" {
		if err := lookUp(ctx, c, &objs, ref.Name); err != nil {
			return objs, err
		}
	}
	r := newReader(ctx, c)
	switch {
	case ref.Kind == status.KindHandler:
		r.handler(&objs, ref.Name)
	case ref.Kind == status.KindModule:
		r.module(&objs, ref.Name)
	case len(objs.Handlers) > 0:
		objs.Modules = nil
	}
	in := client.InNamespace(namespace)
	if ref.Kind == status.KindModule || len(objs.Modules) > 0 {
		r.children(&objs, in, client.MatchingLabels{v1.LabelModule: ref.Name})
	} else {
		own := client.MatchingLabels{v1.LabelHandler: ref.Name}
		r.versions(&objs, in, own)
		r.children(&objs, in, own)
	}
	r.done(&objs)
	return objs, Explain(r.either())
}

// lookUp finds out whether a bare name is that of a handler or of a module. It
// leaves what it finds in objs.
func lookUp(ctx context.Context, c client.Reader, objs *status.Objects, name string) error {
	r := newReader(ctx, c)
	r.handler(objs, name)
	r.module(objs, name)
	r.wait.Wait()
	handler, module := r.errs[status.ResourceHandlers], r.errs[status.ResourceModules]
	switch {
	case handler == nil || module == nil:
		return nil
	case missing(handler) && missing(module):
		return fmt.Errorf("there is no handler or module %q in namespace %s", name, objs.Namespace)
	case missing(handler):
		return Explain(module)
	default:
		return Explain(handler)
	}
}

// missing tells that the object does not exist, although its kind does.
func missing(err error) bool { return apierrors.IsNotFound(err) && !notServed(err) }

// handler reads one GatiHandler.
func (r *reader) handler(objs *status.Objects, name string) {
	r.read(status.ResourceHandlers, func() error {
		var h v1.GatiHandler
		if err := r.c.Get(r.ctx, client.ObjectKey{Namespace: objs.Namespace, Name: name}, &h); err != nil {
			return err
		}
		objs.Handlers = []v1.GatiHandler{h}
		return nil
	})
}

// module reads one GatiModule.
func (r *reader) module(objs *status.Objects, name string) {
	r.read(status.ResourceModules, func() error {
		var m v1.GatiModule
		if err := r.c.Get(r.ctx, client.ObjectKey{Namespace: objs.Namespace, Name: name}, &m); err != nil {
			return err
		}
		objs.Modules = []v1.GatiModule{m}
		return nil
	})
}

// either returns why the object itself could not be read.
func (r *reader) either() error {
	if err := r.errs[status.ResourceHandlers]; err != nil {
		return err
	}
	return r.errs[status.ResourceModules]
}

package diff

import (
	"cmp"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/records"
)

// applied are the objects of the manifests as an apply leaves them.
type applied struct {
	handlers []*v1.GatiHandler
	modules  []*v1.GatiModule
	versions []*v1.GatiVersion
}

func (a *applied) addObject(o client.Object) {
	switch o := o.(type) {
	case *v1.GatiHandler:
		a.handlers = append(a.handlers, o)
	case *v1.GatiModule:
		a.modules = append(a.modules, o)
	case *v1.GatiVersion:
		a.versions = append(a.versions, o)
	}
}

// owner is something whose children an apply may change. Of a handler that is only
// meant by a record of its, the object is not there yet.
type owner struct {
	namespace, name string
	handler         *v1.GatiHandler
	module          *v1.GatiModule
}

func (o owner) title() string {
	if o.module != nil {
		return "gm/" + o.name
	}
	return "gh/" + o.name
}

// listOwners are the handlers and modules of the manifests, and the handlers of the
// records among them, by namespace and name.
func (a *applied) listOwners() []owner {
	var out []owner
	for _, h := range a.handlers {
		out = append(out, owner{namespace: h.Namespace, name: h.Name, handler: h})
	}
	for _, m := range a.modules {
		out = append(out, owner{namespace: m.Namespace, name: m.Name, module: m})
	}
	for _, r := range a.versions {
		name := bindingOf(r).Handler
		known := slices.ContainsFunc(out, func(o owner) bool { return o.module == nil && o.namespace == r.Namespace && o.name == name })
		if name != "" && !known {
			out = append(out, owner{namespace: r.Namespace, name: name})
		}
	}
	slices.SortStableFunc(out, func(a, b owner) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.title(), b.title()))
	})
	return out
}

// bindingOf returns the handler and version of a record: those it is bound to, else those it names. One
// that is bound by its name alone does not count before it is.
func bindingOf(r *v1.GatiVersion) records.Binding {
	if b, ok := records.Bound(r); ok {
		return b
	}
	return records.Binding{Handler: records.NamedHandler(r), Version: string(r.Spec.Version)}
}

// overlayRecords returns the records of a handler as they are after the apply.
func (a *applied) overlayRecords(stored []v1.GatiVersion, namespace, handler string) []v1.GatiVersion {
	out := slices.Clone(stored)
	for _, r := range a.versions {
		b := bindingOf(r)
		if r.Namespace != namespace || b.Handler != handler || b.Version == "" {
			continue
		}
		after := *r.DeepCopy()
		after.Status.Handler, after.Status.Version = b.Handler, b.Version
		if at := slices.IndexFunc(out, func(v v1.GatiVersion) bool { return v.Name == r.Name }); at >= 0 {
			out[at] = after
		} else {
			out = append(out, after)
		}
	}
	return out
}

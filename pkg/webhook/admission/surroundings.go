package admission

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/records"
	"gati.dev/gati/pkg/validation"
)

// readSurroundings reads what an object is checked against. What may lead to a refusal is
// read from the API server: two objects may be applied a moment after each other. The
// watches lag behind, so what they show leads to warnings only.
func (v *Validator) readSurroundings(ctx context.Context, obj, old client.Object, f facts.Facts) (admit.Surroundings, error) {
	out := admit.Surroundings{Facts: f, QueriesForbidden: !v.Queries}
	var err error
	switch o := obj.(type) {
	case *v1.GatiHandler:
		before, _ := old.(*v1.GatiHandler)
		err = v.readAroundHandler(ctx, o, before, &out)
	case *v1.GatiVersion:
		before, _ := old.(*v1.GatiVersion)
		err = v.readAroundRecord(ctx, o, before, &out)
	}
	return out, err
}

func (v *Validator) readAroundHandler(ctx context.Context, h, old *v1.GatiHandler, out *admit.Surroundings) error {
	for _, name := range h.Spec.Modules {
		if v.isMissing(ctx, h.Namespace, string(name), &v1.GatiModule{}) {
			out.Missing = append(out.Missing, string(name))
		}
	}
	stored := old
	if stored == nil {
		stored = h
	}
	// Without versions that ran there is nothing to compare.
	hasOwn := hasSchemas(h, old)
	if v.Judge == nil || !hasOwn && len(stored.Status.Versions) == 0 {
		return nil
	}
	return v.readVersions(ctx, stored, hasOwn, out)
}

func (v *Validator) readAroundRecord(ctx context.Context, r, old *v1.GatiVersion, out *admit.Surroundings) error {
	out.Missing = v.findMissingHandler(ctx, r)
	compares := hasSchema(r) || r.Spec.Breaking != nil || r.Spec.Traffic != nil
	var err error
	if out.Handler, err = v.readHandlerOf(ctx, r, compares || admit.Deactivates(r, old)); err != nil {
		return err
	}
	if compares && v.Judge != nil && out.Handler != nil {
		hasOwn := hasSchema(r) || r.Spec.Breaking != nil || hasSchemas(out.Handler, nil)
		if err = v.readVersions(ctx, out.Handler, hasOwn, out); err != nil {
			return err
		}
	}
	addsShare := admit.AddsShare(r, old) && out.Handler != nil && admit.SharesByRecord(out.Handler)
	if addsShare || len(admit.AddedTags(r, old)) > 0 {
		out.Records, err = v.listRecords(ctx, r.Namespace)
	}
	return err
}

// readHandlerOf returns the handler of a record; nil where there is none. What traffic and
// schemas mean rests on it, and so does the end of a version: those are decided with a live
// read. Elsewhere a handler not seen yet leads to one warning less.
func (v *Validator) readHandlerOf(ctx context.Context, r *v1.GatiVersion, decides bool) (*v1.GatiHandler, error) {
	if decides || v.Cache == nil {
		return v.findHandler(ctx, v.Live, r)
	}
	h, _ := v.findHandler(ctx, v.Cache, r)
	return h, nil
}

// findMissingHandler returns the handler that a record names where it does not exist.
func (v *Validator) findMissingHandler(ctx context.Context, r *v1.GatiVersion) []string {
	if name := records.NamedHandler(r); name != "" && v.isMissing(ctx, r.Namespace, name, &v1.GatiHandler{}) {
		return []string{name}
	}
	return nil
}

func (v *Validator) listRecords(ctx context.Context, namespace string) ([]v1.GatiVersion, error) {
	var all v1.GatiVersionList
	err := v.Live.List(ctx, &all, client.InNamespace(namespace))
	return all.Items, err
}

// isMissing reports whether an object does not exist. One that cannot be read counts as
// there: a warning has to be true.
func (v *Validator) isMissing(ctx context.Context, namespace, name string, into client.Object) bool {
	key := client.ObjectKey{Namespace: namespace, Name: name}
	if v.Cache != nil && v.Cache.Get(ctx, key, into) == nil {
		return false
	}
	return apierrors.IsNotFound(v.Live.Get(ctx, key, into))
}

// hasSchemas reports whether a handler has schemas, now or before the change.
func hasSchemas(h, old *v1.GatiHandler) bool {
	for _, o := range []*v1.GatiHandler{h, old} {
		if o == nil {
			continue
		}
		if o.Spec.Schema != nil || o.Spec.Timescape != nil && o.Spec.Timescape.Breaking != nil {
			return true
		}
		for _, s := range o.Status.Versions {
			if s.Schema != nil {
				return true
			}
		}
	}
	return false
}

func hasSchema(r *v1.GatiVersion) bool {
	return r.Spec.Schema != nil || r.Spec.Breaking != nil && *r.Spec.Breaking || len(r.Spec.Transformers) > 0
}

// selectRecords selects the records of a handler, and those that belong to none yet.
func selectRecords(handler string) []client.ListOption {
	return []client.ListOption{client.MatchingLabels{v1.LabelHandler: handler}, client.MatchingLabelsSelector{Selector: unbound}}
}

var unbound = labels.NewSelector().Add(mustRequire(labels.NewRequirement(v1.LabelHandler, selection.DoesNotExist, nil)))

func mustRequire(r *labels.Requirement, err error) labels.Requirement {
	if err != nil {
		panic(err) // A constant of ours that is no label is a fault in the program.
	}
	return *r
}

// readVersions reads the versions of a stored handler, to be compared where one of them or
// the object itself has a schema.
func (v *Validator) readVersions(ctx context.Context, h *v1.GatiHandler, hasOwn bool, out *admit.Surroundings) error {
	for _, which := range selectRecords(h.Name) {
		var list v1.GatiVersionList
		if err := v.Live.List(ctx, &list, client.InNamespace(h.Namespace), which); err != nil {
			return fmt.Errorf("read the records of %s: %w", h.Name, err)
		}
		out.Records = append(out.Records, list.Items...)
	}
	if !hasOwn && !slices.ContainsFunc(out.Records, func(r v1.GatiVersion) bool { return hasSchema(&r) }) {
		return nil
	}
	out.Judge = v.Judge.Within(ctx)
	if len(h.Status.Versions) == 0 {
		return nil
	}
	var err error
	if out.Revisions, err = observe.Revisions(ctx, v.Live, h, v1.LabelHandler); err != nil {
		return fmt.Errorf("read the revisions of %s: %w", h.Name, err)
	}
	return nil
}

// findHandler reads the handler of a record: the one that it names, or else the
// longest name that its own begins with; nil where there is none yet.
func (v *Validator) findHandler(ctx context.Context, from client.Reader, r *v1.GatiVersion) (*v1.GatiHandler, error) {
	for _, name := range handlerNames(r) {
		var h v1.GatiHandler
		err := from.Get(ctx, client.ObjectKey{Namespace: r.Namespace, Name: name}, &h)
		if err == nil {
			return &h, nil
		}
		if client.IgnoreNotFound(err) != nil {
			return nil, fmt.Errorf("read handler %s: %w", name, err)
		}
	}
	return nil, nil
}

// handlerNames returns the names that the handler of a record may have, the likeliest first.
func handlerNames(r *v1.GatiVersion) []string {
	if b, bound := records.Bound(r); bound {
		return []string{b.Handler}
	}
	if name := records.NamedHandler(r); name != "" {
		return []string{name}
	}
	var out []string
	for at := min(len(r.Name), validation.MaxNameLength+1) - 1; at > 0; at-- {
		// A name ends with no hyphen.
		if r.Name[at] == '-' && r.Name[at-1] != '-' {
			out = append(out, r.Name[:at])
		}
	}
	return out
}

package admission

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/records"
)

// readSurroundings reads what an object is checked against. What may lead to a refusal is
// read from the API server: two objects may be applied a moment after each other. What
// the watches have seen already and cannot refuse is not read.
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
	if v.Judge == nil || !hasSchemas(h, old) && !v.haveRecordsSchemas(ctx, h) {
		return nil
	}
	stored := old
	if stored == nil {
		stored = h
	}
	return v.readVersions(ctx, stored, out)
}

func (v *Validator) readAroundRecord(ctx context.Context, r, old *v1.GatiVersion, out *admit.Surroundings) error {
	out.Missing = v.findMissingHandler(ctx, r)
	out.Handler = v.findCachedHandler(ctx, r)
	// Strategies seldom change: where the watches have seen one, it is not asked for.
	addsShare := admit.AddsShare(r, old) && (out.Handler == nil || admit.SharesByRecord(out.Handler))
	compares := v.Judge != nil && v.needsComparison(ctx, r, out.Handler)
	var err error
	if addsShare || compares || v.Cache == nil || restsOnHandler(r, old, out.Handler) {
		if out.Handler, err = v.findHandler(ctx, v.Live, r); err != nil {
			return err
		}
	}
	if compares && out.Handler != nil {
		if err = v.readVersions(ctx, out.Handler, out); err != nil {
			return err
		}
	}
	if addsShare || len(admit.AddedTags(r, old)) > 0 {
		out.Records, err = v.listRecords(ctx, r.Namespace)
	}
	return err
}

// restsOnHandler reports whether a change of a record may be refused for what its
// handler is at: moves of traffic, and the end of a version.
func restsOnHandler(r, old *v1.GatiVersion, cached *v1.GatiHandler) bool {
	moves := admit.ChangesShare(r, old) && (cached == nil || admit.IsManual(cached))
	return moves || admit.Deactivates(r, old)
}

// findMissingHandler returns the handler that a record names where it does not exist.
func (v *Validator) findMissingHandler(ctx context.Context, r *v1.GatiVersion) []string {
	if name := records.NamedHandler(r); name != "" && v.isMissing(ctx, r.Namespace, name, &v1.GatiHandler{}) {
		return []string{name}
	}
	return nil
}

// findCachedHandler returns the handler of a record as the watches have it. It has no
// part in a refusal, so an error is that of a handler not seen yet.
func (v *Validator) findCachedHandler(ctx context.Context, r *v1.GatiVersion) *v1.GatiHandler {
	if v.Cache == nil {
		return nil
	}
	h, _ := v.findHandler(ctx, v.Cache, r)
	return h
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

// haveRecordsSchemas reports the same of the records that the cache has. One that it
// does not have yet is seen by the controller.
func (v *Validator) haveRecordsSchemas(ctx context.Context, h *v1.GatiHandler) bool {
	if v.Cache == nil {
		return true
	}
	for _, which := range selectRecords(h.Name) {
		var list v1.GatiVersionList
		if err := v.Cache.List(ctx, &list, client.InNamespace(h.Namespace), which); err != nil {
			return true
		}
		for i := range list.Items {
			if hasSchema(&list.Items[i]) {
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

// readVersions reads the records of a stored handler and compares its versions.
func (v *Validator) readVersions(ctx context.Context, h *v1.GatiHandler, out *admit.Surroundings) error {
	out.Judge = v.Judge.Within(ctx)
	for _, which := range selectRecords(h.Name) {
		var list v1.GatiVersionList
		if err := v.Live.List(ctx, &list, client.InNamespace(h.Namespace), which); err != nil {
			return fmt.Errorf("read the records of %s: %w", h.Name, err)
		}
		out.Records = append(out.Records, list.Items...)
	}
	if len(h.Status.Versions) == 0 {
		return nil
	}
	var err error
	if out.Revisions, err = observe.Revisions(ctx, v.Live, h, v1.LabelHandler); err != nil {
		return fmt.Errorf("read the revisions of %s: %w", h.Name, err)
	}
	return nil
}

// needsComparison reports whether a record may change what versions mean for callers.
// Where the watches have seen the handler, and no schema in it or its records, traffic
// moves without anything to compare.
func (v *Validator) needsComparison(ctx context.Context, r *v1.GatiVersion, cached *v1.GatiHandler) bool {
	if hasSchema(r) || r.Spec.Breaking != nil {
		return true
	}
	hasNone := cached != nil && !hasSchemas(cached, nil) && !v.haveRecordsSchemas(ctx, cached)
	return r.Spec.Traffic != nil && !hasNone
}

// findHandler reads the handler of a record: the one that it names, or else the
// longest name that its own begins with; nil where there is none yet.
func (v *Validator) findHandler(ctx context.Context, from client.Reader, r *v1.GatiVersion) (*v1.GatiHandler, error) {
	names := []string{records.NamedHandler(r)}
	if b, bound := records.Bound(r); bound {
		names[0] = b.Handler
	}
	if names[0] == "" {
		names = nil
		for rest := r.Name; strings.Contains(rest, "-"); {
			rest = rest[:strings.LastIndex(rest, "-")]
			names = append(names, rest)
		}
	}
	for _, name := range names {
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

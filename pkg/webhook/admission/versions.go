package admission

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/records"
)

// compared compares the versions that an object is about. What it rests on is read
// from the API server, for it may refuse; where nobody speaks of schemas nothing is
// read.
func (v *Validator) compared(ctx context.Context, obj, old client.Object, f facts.Facts) (admit.Compared, error) {
	if v.Judge == nil {
		return admit.Compared{}, nil
	}
	switch o := obj.(type) {
	case *v1.GatiHandler:
		before, _ := old.(*v1.GatiHandler)
		return v.comparedHandler(ctx, o, before, f)
	case *v1.GatiVersion:
		before, _ := old.(*v1.GatiVersion)
		return v.comparedRecord(ctx, o, before, f)
	}
	return admit.Compared{}, nil
}

func (v *Validator) comparedHandler(ctx context.Context, h, old *v1.GatiHandler, f facts.Facts) (admit.Compared, error) {
	stored := old
	if stored == nil {
		stored = h
	}
	if !speaks(h, old) && !v.recordsSpeak(ctx, h) {
		return admit.Compared{}, nil
	}
	around, err := v.around(ctx, stored)
	if err != nil {
		return admit.Compared{}, err
	}
	return within(ctx, func() admit.Compared { return admit.CompareHandler(h, old, around, f, v.Judge) })
}

// speaks reports whether a handler says anything about what its versions take and
// give, now or before.
func speaks(h, old *v1.GatiHandler) bool {
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

// recordsSpeak tells the same of the records that the cache knows. One that it does
// not show yet is seen by the controller.
func (v *Validator) recordsSpeak(ctx context.Context, h *v1.GatiHandler) bool {
	if v.Cache == nil {
		return true
	}
	for _, which := range of(h.Name) {
		var list v1.GatiVersionList
		if err := v.Cache.List(ctx, &list, client.InNamespace(h.Namespace), which); err != nil {
			return true
		}
		for i := range list.Items {
			if recordSpeaks(&list.Items[i]) {
				return true
			}
		}
	}
	return false
}

func recordSpeaks(r *v1.GatiVersion) bool {
	return r.Spec.Schema != nil || r.Spec.Breaking != nil && *r.Spec.Breaking || len(r.Spec.Transformers) > 0
}

// of selects the records of a handler, and those that belong to none yet.
func of(handler string) []client.ListOption {
	return []client.ListOption{client.MatchingLabels{v1.LabelHandler: handler}, client.MatchingLabelsSelector{Selector: unbound}}
}

var unbound = labels.NewSelector().Add(must(labels.NewRequirement(v1.LabelHandler, selection.DoesNotExist, nil)))

func must(r *labels.Requirement, err error) labels.Requirement {
	if err != nil {
		panic(err) // A constant of ours that is no label is a fault in the program.
	}
	return *r
}

// around reads what the versions of a stored handler depend on.
func (v *Validator) around(ctx context.Context, h *v1.GatiHandler) (admit.Surroundings, error) {
	var out admit.Surroundings
	for _, which := range of(h.Name) {
		var list v1.GatiVersionList
		if err := v.Live.List(ctx, &list, client.InNamespace(h.Namespace), which); err != nil {
			return out, fmt.Errorf("read the records of %s: %w", h.Name, err)
		}
		out.Records = append(out.Records, list.Items...)
	}
	if len(h.Status.Versions) == 0 {
		return out, nil
	}
	var err error
	if out.Revisions, err = observe.Revisions(ctx, v.Live, h, v1.LabelHandler); err != nil {
		return out, fmt.Errorf("read the revisions of %s: %w", h.Name, err)
	}
	return out, nil
}

func (v *Validator) comparedRecord(ctx context.Context, r, old *v1.GatiVersion, f facts.Facts) (admit.Compared, error) {
	if !recordSpeaks(r) && r.Spec.Breaking == nil && (r.Spec.Traffic == nil || v.allSilent(ctx, r)) {
		return admit.Compared{}, nil
	}
	h, err := v.handlerOf(ctx, v.Live, r)
	if err != nil || h == nil {
		return admit.Compared{}, err
	}
	around, err := v.around(ctx, h)
	if err != nil {
		return admit.Compared{}, err
	}
	return within(ctx, func() admit.Compared { return admit.CompareRecord(r, old, h, around, f, v.Judge) })
}

// allSilent reports whether the cache knows the handler of a record, and nobody who says
// anything of schemas there: traffic moves then without anything to compare.
func (v *Validator) allSilent(ctx context.Context, r *v1.GatiVersion) bool {
	if v.Cache == nil {
		return false
	}
	h, err := v.handlerOf(ctx, v.Cache, r)
	return err == nil && h != nil && !speaks(h, nil) && !v.recordsSpeak(ctx, h)
}

// handlerOf reads the handler of a record: the one that it names, or else the
// longest name that its own begins with; nil where there is none yet.
func (v *Validator) handlerOf(ctx context.Context, from client.Reader, r *v1.GatiVersion) (*v1.GatiHandler, error) {
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

// comparing bounds how many comparisons go on side by side: they are work for the
// processor alone, and one that nobody waits for any more goes on.
var comparing = make(chan struct{}, 4)

// within does something as long as the caller waits.
func within(ctx context.Context, do func() admit.Compared) (admit.Compared, error) {
	select {
	case comparing <- struct{}{}:
	case <-ctx.Done():
		return admit.Compared{}, ctx.Err()
	}
	done := make(chan admit.Compared, 1)
	go func() {
		defer func() { <-comparing }()
		done <- do()
	}()
	select {
	case out := <-done:
		return out, nil
	case <-ctx.Done():
		return admit.Compared{}, ctx.Err()
	}
}

package kubernetes

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/ownership"
	"gati.dev/gati/pkg/target"
)

// Inspection is what Apply would find.
type Inspection struct {
	// IsDrifted reports whether Apply would create, change or remove an object whose last
	// write did not fail.
	IsDrifted bool
	// Foreign are the planned objects whose names others have.
	Foreign map[client.Object]bool
}

// Inspect returns what Apply would find, without a write. It asks the API server for the
// objects that the cache does not show.
func (t *Target) Inspect(ctx context.Context, owner client.Object, plan target.Plan) (Inspection, error) {
	out, of := Inspection{Foreign: map[client.Object]bool{}}, *t
	of.scaled = plan.Scaled
	stays := staysOf(t.scheme, plan)
	for _, obj := range plan.Objects {
		drifted, err := of.inspectOne(ctx, owner, obj)
		var foreign *target.ForeignError
		switch {
		case errors.As(err, &foreign):
			out.Foreign[obj] = true
		case err != nil:
			return out, err
		}
		out.IsDrifted = out.IsDrifted || drifted
	}
	for _, kind := range t.prunable() {
		found, err := t.listOwned(ctx, owner, kind)
		if err != nil {
			return out, err
		}
		for _, obj := range found {
			name := childName{t.kindOf(obj), obj.GetName()}
			key := childKey{owner: owner.GetUID(), kind: name.kind, name: name.name}
			if out.IsDrifted || stays[name] || t.failures.isKnown(key) {
				continue
			}
			if out.IsDrifted, err = t.isStillThere(ctx, obj); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// inspectOne reports whether an object differs from the planned one, and nothing has kept
// it from being written yet.
func (t *Target) inspectOne(ctx context.Context, owner, obj client.Object) (bool, error) {
	want, hash, err := Desired(obj)
	if err != nil {
		return false, err
	}
	live, err := t.getLive(ctx, t.reader, obj)
	if live == nil && err == nil {
		live, err = t.getLive(ctx, t.live, obj)
	}
	if err != nil {
		return false, err
	}
	key := childKey{owner: owner.GetUID(), kind: t.kindOf(obj), name: obj.GetName()}
	if live == nil {
		return !t.failures.isKnown(key), nil
	}
	live = t.recent.newest(live, t.scheme)
	switch {
	case !ownership.IsChild(live, owner) && !isOrphaned(live):
		return false, target.NotOwnedError(key.kind, live, owner)
	case live.GetDeletionTimestamp() != nil || t.contests.isKnown(live.GetUID()):
		return false, nil
	}
	if err := t.checkNumber(ctx, want, live); err != nil {
		return false, err
	}
	isCurrent := live.GetAnnotations()[v1.AnnotationApplied] == hash && IsCurrent(live, ownableFields(want)) && !isWidened(live, obj)
	return !isCurrent && !t.failures.isKnown(key), nil
}

// isStillThere reports whether an object of the cache is still there. The cache shows what was
// pruned a moment ago, and a release must not have one more revision for it.
func (t *Target) isStillThere(ctx context.Context, obj client.Object) (bool, error) {
	live := obj.DeepCopyObject().(client.Object)
	err := t.live.Get(ctx, client.ObjectKeyFromObject(obj), live)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil && live.GetUID() == obj.GetUID() && live.GetDeletionTimestamp() == nil, err
}

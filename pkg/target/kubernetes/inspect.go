package kubernetes

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/ownership"
	"gati.dev/gati/pkg/target"
)

// Inspect implements target.Target. What the cache does not show counts as missing.
func (t *Target) Inspect(ctx context.Context, owner client.Object, plan target.Plan) (target.Outcome, error) {
	return t.beginApplication(owner, plan).inspect(ctx, false)
}

// InspectLive is Inspect that reads objects that the cache lacks from the API server, and
// counts no write that failed before.
func (t *Target) InspectLive(ctx context.Context, owner client.Object, plan target.Plan) (target.Outcome, error) {
	return t.beginApplication(owner, plan).inspect(ctx, true)
}

// inspect compares the objects of the plan with those of the cache, or of the API server.
func (a *application) inspect(ctx context.Context, isLive bool) (target.Outcome, error) {
	for _, obj := range a.plan.Objects {
		if err := a.inspectOne(ctx, obj, isLive); err != nil {
			return a.out, err
		}
	}
	a.out.Children = append(a.out.Children, a.plan.Held...)
	if len(a.plan.Objects) == 0 {
		return a.out, nil
	}
	return a.out, a.inspectLeftovers(ctx, isLive)
}

// inspectOne notes the problem of an object, and whether it would be written.
func (a *application) inspectOne(ctx context.Context, obj client.Object, isLive bool) error {
	child := target.Child{Kind: a.kindOf(obj), Name: obj.GetName()}
	defer func() { a.out.Children = append(a.out.Children, child) }()
	want, hash, err := Desired(obj)
	if err != nil {
		return err
	}
	live, err := a.getLive(ctx, a.reader, obj)
	if live == nil && err == nil && isLive {
		live, err = a.getLive(ctx, a.live, obj)
	}
	if err != nil {
		return err
	}
	if live == nil {
		a.noteNeeded(&child, hash, isLive, target.Write{Action: target.Created})
		return nil
	}
	live = a.recent.newestState(live, a.scheme)
	child.Generation = live.GetGeneration()
	switch contested := a.contests.problemOf(live.GetUID()); {
	case isTaken(live):
		return nil
	case !ownership.IsChild(live, a.owner) && !isOrphaned(live):
		child.Problem = target.NotOwnedError(child.Kind, live, a.owner)
		return nil
	case live.GetDeletionTimestamp() != nil:
		child.Problem = a.findHolder(live)
		return nil
	case contested != nil && !isReplanned(live, hash):
		child.Problem = contested
		return nil
	}
	if err := a.checkNumber(ctx, want, live); err != nil {
		return err
	}
	if !a.isAsPlanned(live, obj, want, hash) {
		child.Generation = 0
		a.noteNeeded(&child, hash, isLive, target.Write{Action: target.Updated, IsReplanned: isReplanned(live, hash)})
	}
	return nil
}

func (a *application) isAsPlanned(live, obj client.Object, want *unstructured.Unstructured, hash string) bool {
	return !isLeft(live) && (a.compared.isAsPlanned(live, hash) ||
		live.GetAnnotations()[v1.AnnotationApplied] == hash && IsCurrent(live, ownableFields(want)) && !isWidened(live, obj))
}

// noteNeeded notes a write that is needed. One that failed a moment ago is a problem, and
// waits for its time.
func (a *application) noteNeeded(child *target.Child, hash string, isLive bool, write target.Write) {
	key := childKey{owner: a.owner.GetUID(), kind: child.Kind, name: child.Name}
	problem, isDue := a.failures.lastFailure(key, hash)
	if problem != nil && !errors.Is(problem, errRace) {
		child.Problem = problem
	}
	if isDue && (!isLive || !a.failures.isKnown(key)) {
		write.Kind, write.Name = child.Kind, child.Name
		a.out.Writes = append(a.out.Writes, write)
	}
}

// inspectLeftovers notes the objects that are neither planned nor held.
func (a *application) inspectLeftovers(ctx context.Context, isLive bool) error {
	stays := staysOf(a.scheme, a.plan)
	for _, kind := range a.prunable() {
		found, err := a.listOwned(ctx, a.owner, kind)
		if err != nil {
			return err
		}
		for _, obj := range found {
			child := target.Child{Kind: a.kindOf(obj), Name: obj.GetName()}
			if stays[childName{child.Kind, child.Name}] {
				continue
			}
			if isLive {
				isThere, err := a.isStillThere(ctx, obj)
				if err != nil {
					return err
				}
				if !isThere {
					continue
				}
			}
			if a.noteNeeded(&child, "", isLive, target.Write{Action: target.Deleted}); child.Problem != nil {
				a.out.Children = append(a.out.Children, child)
			}
		}
	}
	return nil
}

// isStillThere reports whether an object of the cache still exists. The cache may still
// show an object that was just pruned, and a release must not get another revision for it.
func (t *Target) isStillThere(ctx context.Context, obj client.Object) (bool, error) {
	live := obj.DeepCopyObject().(client.Object)
	err := t.live.Get(ctx, client.ObjectKeyFromObject(obj), live)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil && live.GetUID() == obj.GetUID() && live.GetDeletionTimestamp() == nil, err
}

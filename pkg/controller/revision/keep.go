// Package revision writes the ControllerRevisions that freeze pod templates. It
// must not know what a template holds.
package revision

import (
	"context"
	"errors"
	"fmt"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/target"
)

// Kind is that of a revision among the children.
const Kind = "ControllerRevision.apps"

// Keep writes a revision that the cache does not show, and returns a problem that only
// others can solve: nothing must run that no revision holds.
//
// Where an object of that name exists and is ours, it is too new for the cache or has
// lost its labels, which are put back. The error says to try again with its template.
func Keep(ctx context.Context, w target.Writer, live client.Reader, owner client.Object, want *appsv1.ControllerRevision) (problem, err error) {
	err = w.Create(ctx, want.DeepCopy(), client.FieldOwner(v1.FieldManager))
	if err == nil {
		return nil, nil
	}
	if !apierrors.IsAlreadyExists(err) {
		return nil, fmt.Errorf("write revision %s: %w", want.Name, err)
	}
	have, kept, problem, getErr := readRevision(ctx, live, owner, client.ObjectKeyFromObject(want))
	if problem != nil || getErr != nil {
		return problem, getErr
	}
	if have == nil {
		return nil, err // It has gone since.
	}
	fresh, readErr := expand.ReadRevision(want, owner)
	if readErr != nil {
		return nil, readErr
	}
	if problem := expand.CheckInputs(kept, fresh, owner); problem != nil {
		return problem, nil
	}
	return nil, errors.Join(restoreLabels(ctx, w, have, want.Labels), err)
}

// HoldDeployments holds the Deployments of a plan that would run a revision.
func HoldDeployments(plan *target.Plan, revision string) {
	plan.Hold("Deployment.apps", nil, func(obj client.Object) bool {
		_, ok := obj.(*appsv1.Deployment)
		return ok && obj.GetAnnotations()[v1.AnnotationRevision] == revision
	})
}

// Remove deletes revisions that are no longer needed.
func Remove(ctx context.Context, w target.Writer, old []*appsv1.ControllerRevision) error {
	for _, object := range old {
		if err := w.Delete(ctx, object); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete revision %s: %w", object.Name, err)
		}
	}
	return nil
}

// Restore puts the labels of a revision back that the cache does not show, and returns why
// the revision cannot be used. It does nothing where there is no such revision. encode
// returns the revision as it should be stored.
func Restore(ctx context.Context, w target.Writer, live client.Reader, owner client.Object, name string, encode func(expand.Revision) (*appsv1.ControllerRevision, error)) (problem, err error) {
	have, kept, problem, err := readRevision(ctx, live, owner, client.ObjectKey{Namespace: owner.GetNamespace(), Name: name})
	if have == nil || problem != nil || err != nil {
		return problem, err
	}
	want, err := encode(kept)
	if err != nil {
		return nil, err
	}
	return nil, restoreLabels(ctx, w, have, want.Labels)
}

// readRevision returns the live revision of that name, nil where there is none, and its
// problem.
func readRevision(ctx context.Context, live client.Reader, owner client.Object, key client.ObjectKey) (have *appsv1.ControllerRevision, kept expand.Revision, problem, err error) {
	have = &appsv1.ControllerRevision{}
	if err := live.Get(ctx, key, have); err != nil {
		return nil, kept, nil, client.IgnoreNotFound(err)
	}
	if !expand.IsRevisionOf(have, owner) {
		return have, kept, target.NotOwnedError(Kind, have, owner), nil
	}
	kept, problem = expand.ReadRevision(have, owner)
	return have, kept, problem, nil
}

// restoreLabels puts labels back that others took away: without them the cache does not show
// the revision.
func restoreLabels(ctx context.Context, w target.Writer, have *appsv1.ControllerRevision, labels map[string]string) error {
	before := have.DeepCopy()
	if have.Labels == nil {
		have.Labels = map[string]string{}
	}
	maps.Copy(have.Labels, labels)
	if maps.Equal(before.Labels, have.Labels) {
		return nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := w.Patch(ctx, have, patch, client.FieldOwner(v1.FieldManager)); err != nil {
		return fmt.Errorf("put the labels of revision %s back: %w", have.Name, err)
	}
	return nil
}

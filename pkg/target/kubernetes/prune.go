package kubernetes

import (
	"context"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/ownership"
	"gati.dev/gati/pkg/target"
)

// pruneUnplanned removes the owner's objects that are neither planned nor held. It looks
// only among objects that carry the plan's labels, and deletes only what the owner
// controls, by uid.
func (a *application) pruneUnplanned(ctx context.Context, plan target.Plan) error {
	if len(plan.Objects) == 0 {
		return nil
	}
	stays := staysOf(a.scheme, plan)
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
			remove := func() (target.Write, error) {
				return target.Write{Action: target.Deleted}, a.deleteObject(ctx, obj)
			}
			if isLeft(obj) {
				remove = func() (target.Write, error) {
					return target.Write{Action: target.Updated}, a.reclaimLeft(ctx, obj)
				}
			}
			if err := a.attemptChange(ctx, &child, func() string { return "" }, remove); err != nil {
				return err
			}
			if child.Problem != nil {
				a.out.Children = append(a.out.Children, child)
			}
		}
	}
	return nil
}

// childName is the kind and name of a child.
type childName struct{ kind, name string }

// staysOf returns the children that are planned or held.
func staysOf(scheme *runtime.Scheme, plan target.Plan) map[childName]bool {
	stays := map[childName]bool{}
	for _, obj := range plan.Objects {
		stays[childName{target.KindOf(obj, scheme), obj.GetName()}] = true
	}
	for _, child := range plan.Held {
		stays[childName{child.Kind, child.Name}] = true
	}
	return stays
}

// listOwned lists the objects of one kind that the owner has, and the autoscalers that KEDA
// has left behind for it.
func (t *Target) listOwned(ctx context.Context, owner client.Object, kind client.ObjectList) ([]client.Object, error) {
	found, err := target.Children{Reader: t.reader, Scheme: t.scheme}.List(ctx, owner, kind)
	if _, scalers := kind.(*autoscalingv2.HorizontalPodAutoscalerList); err != nil || !scalers {
		return found, err
	}
	var list autoscalingv2.HorizontalPodAutoscalerList
	label := ownership.LabelFor(owner)
	if err := t.reader.List(ctx, &list, client.InNamespace(owner.GetNamespace()), client.MatchingLabels{label: owner.GetName()}); err != nil {
		return nil, err
	}
	for i := range list.Items {
		if a := &list.Items[i]; isLeft(a) && !ownership.IsChild(a, owner) {
			found = append(found, a)
		}
	}
	return found, nil
}

func (a *application) deleteObject(ctx context.Context, obj client.Object) error {
	uid := obj.GetUID()
	err := a.writer.Delete(ctx, obj, client.Preconditions{UID: &uid}, client.PropagationPolicy(propagationFor(obj)))
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}

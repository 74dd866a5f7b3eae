package kubernetes

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/target"
)

// ownerLabels are the labels that all objects of one owner share.
var ownerLabels = []string{v1.LabelHandler, v1.LabelModule}

// pruneUnplanned removes the owner's objects that are neither planned nor held. It looks
// only among objects that carry the plan's labels, and deletes only what the owner
// controls, by uid.
func (a *application) pruneUnplanned(ctx context.Context, plan target.Plan) error {
	if len(plan.Objects) == 0 {
		return nil
	}
	stays := map[childName]bool{}
	for _, obj := range plan.Objects {
		stays[childName{a.kindOf(obj), obj.GetName()}] = true
	}
	for _, child := range plan.Held {
		stays[childName{child.Kind, child.Name}] = true
	}
	for _, kind := range a.prunable() {
		found, err := a.listOwned(ctx, a.owner, kind, plan.Objects[0].GetLabels())
		if err != nil {
			return err
		}
		for _, obj := range found {
			child := target.Child{Kind: a.kindOf(obj), Name: obj.GetName()}
			if stays[childName{child.Kind, child.Name}] {
				continue
			}
			remove := func() (string, error) { return "deleted", a.deleteObject(ctx, obj) }
			if err := a.attempt(ctx, &child, func() string { return "" }, remove); err != nil {
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

// listOwned lists the objects of one kind that the owner controls.
func (t *Target) listOwned(ctx context.Context, owner client.Object, kind client.ObjectList, labels map[string]string) ([]client.Object, error) {
	list := kind.DeepCopyObject().(client.ObjectList)
	match := client.MatchingLabels{}
	for _, key := range ownerLabels {
		if value, ok := labels[key]; ok {
			match[key] = value
		}
	}
	if err := t.reader.List(ctx, list, client.InNamespace(owner.GetNamespace()), match); err != nil {
		return nil, err
	}
	var out []client.Object
	err := meta.EachListItem(list, func(o runtime.Object) error {
		obj := o.(client.Object)
		if metav1.IsControlledBy(obj, owner) && obj.GetDeletionTimestamp() == nil {
			out = append(out, obj)
		}
		return nil
	})
	return out, err
}

func (t *Target) deleteObject(ctx context.Context, obj client.Object) error {
	uid := obj.GetUID()
	err := t.writer.Delete(ctx, obj, client.Preconditions{UID: &uid}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}

package kubernetes

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// ownerLabels are the labels that all objects of one owner share.
var ownerLabels = []string{v1.LabelHandler, v1.LabelModule}

// pruneUnplanned removes the owner's objects that are no longer planned. It looks only
// among objects that carry the plan's labels, and deletes only what the owner
// controls, by uid.
func (t *Target) pruneUnplanned(ctx context.Context, owner client.Object, plan []client.Object) ([]string, error) {
	if len(plan) == 0 {
		return nil, nil
	}
	planned := map[string]bool{}
	for _, obj := range plan {
		planned[t.kindOf(obj)+"/"+obj.GetName()] = true
	}
	var writes []string
	for _, kind := range t.prunable() {
		found, err := t.listOwned(ctx, owner, kind, plan[0].GetLabels())
		if err != nil {
			return writes, err
		}
		for _, obj := range found {
			name := t.kindOf(obj)
			if planned[name+"/"+obj.GetName()] {
				continue
			}
			if err := t.deleteObject(ctx, obj); err != nil {
				return writes, fmt.Errorf("delete %s %s: %w", name, obj.GetName(), err)
			}
			writes = append(writes, fmt.Sprintf("deleted %s %s", name, obj.GetName()))
		}
	}
	return writes, nil
}

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

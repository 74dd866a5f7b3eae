package kubernetes

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/ownership"
	"gati.dev/gati/pkg/target"
)

// Action is the change of an object.
type Action string

// The actions.
const (
	Create Action = "Create"
	Update Action = "Update"
	Delete Action = "Delete"
)

// Change is the effect of Apply on one object.
type Change struct {
	Kind, Name string
	Action     Action
	// Before and After are the object without what only the server writes; nil where
	// there is none.
	Before, After *unstructured.Unstructured
	// Problem is why Apply would not touch it.
	Problem error
}

// Changes returns what Apply would do to make a plan stand, by the same test that
// Apply makes before it writes. It only reads. removable returns empty lists of the
// kinds that may become superfluous.
func Changes(ctx context.Context, r client.Reader, scheme *runtime.Scheme, owner client.Object, plan []client.Object, removable []client.ObjectList) ([]Change, error) {
	t := &Target{reader: r, live: r, scheme: scheme}
	var out []Change
	planned := map[string]bool{}
	for _, obj := range plan {
		planned[t.kindOf(obj)+"/"+obj.GetName()] = true
	}
	for _, obj := range plan {
		change, err := t.computeChange(ctx, owner, obj)
		if err != nil {
			return nil, err
		}
		if change != nil {
			out = append(out, *change)
		}
	}
	if len(plan) == 0 {
		return out, nil
	}
	for _, kind := range removable {
		found, err := t.listOwned(ctx, owner, kind)
		if err != nil {
			return nil, err
		}
		for _, obj := range found {
			if planned[t.kindOf(obj)+"/"+obj.GetName()] {
				continue
			}
			before, err := t.trimLive(obj)
			if err != nil {
				return nil, err
			}
			out = append(out, Change{Kind: t.kindOf(obj), Name: obj.GetName(), Action: Delete, Before: before})
		}
	}
	return out, nil
}

// computeChange returns the effect of Apply on one planned object, nil for none.
func (t *Target) computeChange(ctx context.Context, owner, obj client.Object) (*Change, error) {
	want, hash, err := Desired(obj)
	if err != nil {
		return nil, err
	}
	out := &Change{Kind: t.kindOf(obj), Name: obj.GetName()}
	live, err := t.getLive(ctx, t.live, obj)
	switch {
	case err != nil:
		return nil, err
	case live == nil:
		out.Action = Create
		out.After = trimServerFields(want.DeepCopy())
		return out, nil
	case isTaken(live):
		return nil, nil
	case !ownership.IsChild(live, owner) && !isOrphaned(live):
		out.Action, out.Problem = Update, target.NotOwnedError(out.Kind, live, owner)
		return out, nil
	case live.GetDeletionTimestamp() != nil:
		return nil, nil
	case live.GetAnnotations()[v1.AnnotationApplied] == hash && IsCurrent(live, ownableFields(want)) && !isWidened(live, obj):
		return nil, nil
	}
	out.Action = Update
	content, err := t.encodeLive(live)
	if err != nil {
		return nil, err
	}
	after := mergeMap(content, want.DeepCopy().Object, besideOthers(live.GetManagedFields(), v1.FieldManager))
	out.Before, out.After = trimServerFields(&unstructured.Unstructured{Object: content}), trimServerFields(&unstructured.Unstructured{Object: after})
	return out, nil
}

// encodeLive is a live object as the server writes it, with its kind.
func (t *Target) encodeLive(live client.Object) (map[string]any, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(live)
	if err != nil {
		return nil, err
	}
	kinds, _, err := t.scheme.ObjectKinds(live)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{Object: expand.WithoutNulls(content)}
	u.SetGroupVersionKind(kinds[0])
	return u.Object, nil
}

func (t *Target) trimLive(live client.Object) (*unstructured.Unstructured, error) {
	content, err := t.encodeLive(live)
	if err != nil {
		return nil, err
	}
	return trimServerFields(&unstructured.Unstructured{Object: content}), nil
}

// trimServerFields removes the fields that only the server and we write.
func trimServerFields(u *unstructured.Unstructured) *unstructured.Unstructured {
	delete(u.Object, "status")
	metadata, _ := u.Object["metadata"].(map[string]any)
	for _, key := range []string{"managedFields", "resourceVersion", "uid", "generation", "creationTimestamp", "ownerReferences"} {
		delete(metadata, key)
	}
	annotations := u.GetAnnotations()
	delete(annotations, v1.AnnotationApplied)
	if len(annotations) == 0 {
		annotations = nil
	}
	u.SetAnnotations(annotations)
	return u
}

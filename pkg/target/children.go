package target

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/ownership"
)

// Children reads the children of handlers and modules from the cluster.
type Children struct {
	client.Reader
	Scheme *runtime.Scheme
}

// Get reads the child of the kind and name of obj into obj. An object of that name that
// is no child of the owner is an error.
func (c Children) Get(ctx context.Context, owner, obj client.Object) error {
	if err := c.Reader.Get(ctx, client.ObjectKeyFromObject(obj), obj); err != nil {
		return err
	}
	if !ownership.IsChild(obj, owner) {
		return NotOwnedError(KindOf(obj, c.Scheme), obj, owner)
	}
	return nil
}

// List returns the owner's children of the kind of an empty list, without those that
// are being deleted.
func (c Children) List(ctx context.Context, owner client.Object, kind client.ObjectList) ([]client.Object, error) {
	list := kind.DeepCopyObject().(client.ObjectList)
	label := ownership.LabelFor(owner)
	if err := c.Reader.List(ctx, list, client.InNamespace(owner.GetNamespace()), client.MatchingLabels{label: owner.GetName()}); err != nil {
		return nil, err
	}
	var out []client.Object
	err := meta.EachListItem(list, func(o runtime.Object) error {
		obj := o.(client.Object)
		if ownership.IsChild(obj, owner) && obj.GetDeletionTimestamp() == nil {
			out = append(out, obj)
		}
		return nil
	})
	return out, err
}

// KindOf is the kind of an object with its group, as status shows it.
func KindOf(obj client.Object, scheme *runtime.Scheme) string {
	gvk, err := apiutil.GVKForObject(obj, scheme)
	if err != nil || gvk.Group == "" {
		return gvk.Kind
	}
	return gvk.Kind + "." + gvk.Group
}

// ownerKinds are the kinds of owners, by the label that names one.
var ownerKinds = map[string]string{v1.LabelHandler: "GatiHandler", v1.LabelModule: "GatiModule"}

// FindOwner returns the owner to reconcile when a child has changed. label is the label
// that names owners of the wanted kind.
func FindOwner(obj client.Object, label string) (types.NamespacedName, bool) {
	owner := types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetLabels()[label]}
	if ref := metav1.GetControllerOfNoCopy(obj); ref != nil {
		owner.Name = ref.Name
		return owner, ref.Kind == ownerKinds[label] && strings.HasPrefix(ref.APIVersion, v1.GroupVersion.Group+"/")
	}
	return owner, owner.Name != "" && obj.GetLabels()[v1.LabelTarget] != ""
}

// Disown returns a planned object as a target without ownerReferences applies it.
func Disown(obj client.Object, target string) client.Object {
	out := obj.DeepCopyObject().(client.Object)
	out.SetOwnerReferences(nil)
	labels := out.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[v1.LabelTarget] = target
	out.SetLabels(labels)
	return out
}

package ownership

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// IsChild reports whether an object is a child of a handler or module: by its
// ownerReference, or by its labels where a target writes no ownerReference.
func IsChild(obj, owner metav1.Object) bool {
	if metav1.GetControllerOfNoCopy(obj) != nil {
		return metav1.IsControlledBy(obj, owner)
	}
	label, name := OwnerLabel(obj)
	return obj.GetLabels()[v1.LabelTarget] != "" && obj.GetNamespace() == owner.GetNamespace() &&
		name == owner.GetName() && label == LabelFor(owner)
}

// OwnerLabel returns the label of a child that names its owner, and the owner's name;
// both are empty where the object has none.
func OwnerLabel(obj metav1.Object) (label, name string) {
	for _, label := range []string{v1.LabelHandler, v1.LabelModule} {
		if name := obj.GetLabels()[label]; name != "" {
			return label, name
		}
	}
	return "", ""
}

// LabelFor returns the label that names an owner of that kind on its children.
func LabelFor(owner metav1.Object) string {
	switch owner.(type) {
	case *v1.GatiHandler:
		return v1.LabelHandler
	case *v1.GatiModule:
		return v1.LabelModule
	default:
		return ""
	}
}

package ownership

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
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

// IsPodOf reports whether a pod is one that a Deployment has made. Labels prove nothing: a
// user who may create pods can set any. The chain of owners does: the pod's controller is
// the ReplicaSet of the Deployment for the pod's own template. A pod that names it without
// its uid, which only readers of the ReplicaSet know, is deleted by the garbage collector
// at once.
func IsPodOf(pod *corev1.Pod, deployment string) bool {
	ref, hash := metav1.GetControllerOfNoCopy(pod), pod.Labels[appsv1.DefaultDeploymentUniqueLabelKey]
	return ref != nil && hash != "" && ref.APIVersion == "apps/v1" && ref.Kind == "ReplicaSet" && ref.Name == deployment+"-"+hash
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

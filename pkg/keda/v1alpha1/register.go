package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is KEDA's API.
var GroupVersion = schema.GroupVersion{Group: "keda.sh", Version: "v1alpha1"}

// AddToScheme registers ScaledObjects.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion, &ScaledObject{}, &ScaledObjectList{})
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}

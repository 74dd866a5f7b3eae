package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "gati.dev/gati/api/v1"
)

// GroupVersion is gati.dev/v1alpha1.
var GroupVersion = schema.GroupVersion{Group: v1.Group, Version: "v1alpha1"}

// AddToScheme registers the kinds of this version with a scheme.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion,
		&GatiHandler{}, &GatiHandlerList{},
		&GatiModule{}, &GatiModuleList{},
		&GatiVersion{}, &GatiVersionList{},
	)
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}

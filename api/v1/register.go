package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Group is the API group of all Gati kinds.
const Group = "gati.dev"

// GroupVersion is gati.dev/v1.
var GroupVersion = schema.GroupVersion{Group: Group, Version: "v1"}

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

package install

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	kindCRD       = "CustomResourceDefinition"
	kindNamespace = "Namespace"
)

// collectionPath is the path of all objects of a kind, in one namespace if it is named.
func collectionPath(gvk schema.GroupVersionKind, namespace string) string {
	path := "/apis/" + gvk.Group + "/" + gvk.Version
	if gvk.Group == "" {
		path = "/api/" + gvk.Version
	}
	if namespace != "" {
		path += "/namespaces/" + namespace
	}
	plural, _ := meta.UnsafeGuessKindToResource(gvk)
	return path + "/" + plural.Resource
}

func pathOf(o *unstructured.Unstructured) string {
	return collectionPath(o.GroupVersionKind(), o.GetNamespace()) + "/" + o.GetName()
}

// objectTitle names an object as kubectl prints it.
func objectTitle(o *unstructured.Unstructured) string {
	name := strings.ToLower(o.GetKind()) + "/" + o.GetName()
	if o.GetNamespace() != "" {
		name += " -n " + o.GetNamespace()
	}
	return name
}

package observe

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// NewNamespaces is a Reader of namespaces for admission: one that the watches have not
// seen yet is read from the API server. A file may create a namespace with its image and
// the handlers that need it.
type NewNamespaces struct {
	client.Reader
	// Live asks the API server. It lists, which is the right that the watch has.
	Live client.Reader
}

// Get implements client.Reader.
func (n *NewNamespaces) Get(ctx context.Context, key client.ObjectKey, into client.Object, opts ...client.GetOption) error {
	err := n.Reader.Get(ctx, key, into, opts...)
	ns, ok := into.(*corev1.Namespace)
	if !ok || !apierrors.IsNotFound(err) {
		return err
	}
	var found corev1.NamespaceList
	if err := n.Live.List(ctx, &found, client.MatchingFields{"metadata.name": key.Name}); err != nil {
		return err
	}
	if len(found.Items) == 0 {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, key.Name)
	}
	found.Items[0].DeepCopyInto(ns)
	return nil
}

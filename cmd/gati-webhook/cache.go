package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// cacheOptions keep in memory what is ours and nothing else: whatever the
// cluster holds besides, the cache does not grow.
//
// The label is the default, so a kind that is first read later, such as an
// HTTPRoute on a cluster that got Gateway API while we run, is bound by it too.
// An object that is not ours has to be read with the API reader.
func cacheOptions() cache.Options {
	everything := labels.Everything()
	lean := cache.TransformStripManagedFields()
	return cache.Options{
		DefaultLabelSelector: labels.SelectorFromSet(labels.Set{v1.LabelManagedBy: v1.ManagedBy}),
		ByObject: map[client.Object]cache.ByObject{
			&v1.GatiHandler{}: {Label: everything, Transform: lean},
			&v1.GatiModule{}:  {Label: everything, Transform: lean},
			// Its managedFields tell what others than the controller have set.
			&v1.GatiVersion{}: {Label: everything},
			// For the annotation gati.dev/image.
			&corev1.Namespace{}: {Label: everything, Transform: leanNamespace},
			&corev1.Pod{}:       {Transform: lean},
		},
	}
}

// leanNamespace keeps what is read of a namespace.
func leanNamespace(object any) (any, error) {
	if namespace, ok := object.(*corev1.Namespace); ok {
		namespace.ManagedFields = nil
		namespace.Spec = corev1.NamespaceSpec{}
	}
	return object, nil
}

// warm starts the informers that admission reads, on every replica, so that
// they are filled before the first call and after a change of leader.
func warm(ctx context.Context, c cache.Cache) error {
	for _, object := range []client.Object{&v1.GatiHandler{}, &v1.GatiModule{}, &v1.GatiVersion{}, &corev1.Namespace{}} {
		if _, err := c.GetInformer(ctx, object, cache.BlockUntilSynced(false)); err != nil {
			return fmt.Errorf("watch %T: %w; are the CRDs of manifests/crd applied?", object, err)
		}
	}
	return nil
}

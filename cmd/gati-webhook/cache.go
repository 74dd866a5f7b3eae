package main

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
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
			// They carry the labels of their Service.
			&discoveryv1.EndpointSlice{}: {Transform: leanSlice},
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

// leanSlice keeps which pods of a Service are ready, and when that was written.
func leanSlice(object any) (any, error) {
	if slice, ok := object.(*discoveryv1.EndpointSlice); ok {
		slice.Ports = nil
		for i := range slice.ManagedFields {
			slice.ManagedFields[i].FieldsV1 = nil
		}
		for i := range slice.Endpoints {
			e := &slice.Endpoints[i]
			*e = discoveryv1.Endpoint{TargetRef: e.TargetRef, Conditions: e.Conditions}
		}
	}
	return object, nil
}

// warm starts the informers that admission reads, on every replica, so that they
// are filled before the first call and after a change of leader. What it returns
// reports whether they are: a replica can serve while the controllers' larger caches
// still fill, and after a crash its calls are waited for.
func warm(ctx context.Context, c cache.Cache) (filled func() bool, err error) {
	var informers []cache.Informer
	for _, object := range []client.Object{&v1.GatiHandler{}, &v1.GatiModule{}, &v1.GatiVersion{}, &corev1.Namespace{}} {
		informer, err := c.GetInformer(ctx, object, cache.BlockUntilSynced(false))
		if err != nil {
			return nil, fmt.Errorf("watch %T: %w; are the CRDs of manifests/crd applied?", object, err)
		}
		informers = append(informers, informer)
	}
	return func() bool {
		return !slices.ContainsFunc(informers, func(i cache.Informer) bool { return !i.HasSynced() })
	}, nil
}

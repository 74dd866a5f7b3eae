package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/helmchart"
	"gati.dev/gati/pkg/observe"
)

// cacheOptions limits the cache to our own objects, so that it does not grow with
// the rest of the cluster.
//
// The label is the default, so it also applies to kinds that are first watched later,
// such as an HTTPRoute on a cluster that gets Gateway API while we run. Other
// objects must be read with the API reader.
func cacheOptions(c *config) cache.Options {
	everything := labels.Everything()
	lean := cache.TransformStripManagedFields()
	return cache.Options{
		// A read that races with endWatch must not start the watch again.
		ReaderFailOnMissingInformer: true,

		DefaultLabelSelector: selectOurs(c.allowsTarget(v1.TargetHelm)),
		ByObject: map[client.Object]cache.ByObject{
			&v1.GatiHandler{}: {Label: everything, Transform: lean},
			&v1.GatiModule{}:  {Label: everything, Transform: lean},
			// Its managedFields show what other managers have set.
			&v1.GatiVersion{}: {Label: everything},
			// For the annotation gati.dev/image.
			&corev1.Namespace{}: {Label: everything, Transform: leanNamespace},
			&corev1.Pod{}:       {Transform: observe.LeanPod},
			&batchv1.Job{}:      {Transform: lean},
			// They carry the labels of their Service.
			&discoveryv1.EndpointSlice{}: {Transform: leanSlice},
		},
	}
}

// selectOurs selects our own objects: by who manages them, and where Helm manages some of
// them by their application as well, since the rest of the cluster may have releases too.
func selectOurs(withHelm bool) labels.Selector {
	managers, applications := []string{v1.ManagedBy}, []string{}
	if withHelm {
		managers, applications = append(managers, helmchart.ManagedByHelm), []string{expand.ComponentHandler, expand.ComponentModule}
	}
	out := labels.NewSelector()
	for label, values := range map[string][]string{v1.LabelManagedBy: managers, expand.LabelComponent: applications} {
		if len(values) == 0 {
			continue
		}
		requirement, err := labels.NewRequirement(label, selection.In, values)
		if err != nil {
			panic(err) // the values are constants
		}
		out = out.Add(*requirement)
	}
	return out
}

// leanNamespace drops the parts of a namespace that are not read.
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

// startInformers starts the informers that every replica of either role reads, so that
// they are filled before the first call and after a change of leader. The result
// reports whether they are filled: the controllers' other caches are larger.
func startInformers(ctx context.Context, c cache.Cache) (filled func() bool, err error) {
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

// endWatch ends the watch of a kind, if there is one.
func endWatch(mgr ctrl.Manager, kind schema.GroupVersionKind) {
	if object, err := mgr.GetScheme().New(kind); err == nil {
		_ = mgr.GetCache().RemoveInformer(context.Background(), object.(client.Object)) // It fails for kinds outside of the scheme.
	}
}

var errNotSynced = errors.New("the caches are not filled yet")

// checkSynced is the readiness of a replica of the controllers.
func checkSynced(filled func() bool) healthz.Checker {
	return func(*http.Request) error {
		if !filled() {
			return errNotSynced
		}
		return nil
	}
}

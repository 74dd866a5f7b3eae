package observe

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/facts"
	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
)

// Facts finds out the facts of a namespace.
type Facts struct {
	// Reader answers for namespaces, from the cache or the server.
	Reader client.Reader
	// Served reports whether the cluster serves a kind at the moment.
	Served func(schema.GroupVersionKind) (bool, error)
	// RequestRate is where KEDA reads the rate of requests.
	RequestRate facts.RequestRate
	// ScrapeInterval is that of the Prometheus that measures traffic, zero without one.
	ScrapeInterval time.Duration
	// RuntimeClasses is the operator's configuration for wasm modules.
	RuntimeClasses map[string]string
	// Targets is the operator's choice of where children go.
	Targets facts.Targets
}

// For returns the facts for objects of a namespace. A namespace that is gone has
// no image.
func (o *Facts) For(ctx context.Context, namespace string) (facts.Facts, error) {
	out := facts.Facts{Namespace: namespace, RuntimeClasses: o.RuntimeClasses, Targets: o.Targets, RequestRate: o.RequestRate, ScrapeInterval: o.ScrapeInterval}
	var err error
	if out.HTTPRouteServed, err = o.HTTPRouteServed(); err != nil {
		return out, fmt.Errorf("ask whether HTTPRoutes are served: %w", err)
	}
	if out.ScaledObjectServed, err = o.ScaledObjectServed(); err != nil {
		return out, fmt.Errorf("ask whether ScaledObjects are served: %w", err)
	}
	var ns corev1.Namespace
	if err := o.Reader.Get(ctx, client.ObjectKey{Name: namespace}, &ns); err != nil {
		if apierrors.IsNotFound(err) {
			return out, nil
		}
		return out, fmt.Errorf("read namespace %s: %w", namespace, err)
	}
	out.NamespaceImage = ns.Annotations[v1.AnnotationImage]
	out.NamespaceTarget = ns.Annotations[v1.AnnotationTarget]
	return out, nil
}

// Ending reports whether a namespace is being deleted. The API server creates nothing in
// it, and all of its objects will be removed.
func (o *Facts) Ending(ctx context.Context, namespace string) (bool, error) {
	var ns corev1.Namespace
	if err := o.Reader.Get(ctx, client.ObjectKey{Name: namespace}, &ns); err != nil {
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, fmt.Errorf("read namespace %s: %w", namespace, err)
	}
	return ns.DeletionTimestamp != nil, nil
}

// HTTPRouteServed reports whether the cluster serves Gateway API's HTTPRoute.
func (o *Facts) HTTPRouteServed() (bool, error) {
	return o.Served(schema.GroupVersionKind{Group: gatewayv1.GroupName, Version: gatewayv1.GroupVersion.Version, Kind: "HTTPRoute"})
}

// ScaledObjectServed reports whether the cluster serves KEDA's ScaledObject.
func (o *Facts) ScaledObjectServed() (bool, error) {
	return o.Served(kedav1alpha1.GroupVersion.WithKind(kedav1alpha1.Kind))
}

// NewNamespaces is a Reader of namespaces for admission: one that the watches have not
// seen yet, or show as ending, is read from the API server. A file may create a namespace
// with its image and the handlers that need it, also again.
type NewNamespaces struct {
	client.Reader
	// Live asks the API server. It lists, which is the right that the watch has.
	Live client.Reader
}

// Get implements client.Reader.
func (n *NewNamespaces) Get(ctx context.Context, key client.ObjectKey, into client.Object, opts ...client.GetOption) error {
	err := n.Reader.Get(ctx, key, into, opts...)
	ns, ok := into.(*corev1.Namespace)
	if !ok || err != nil && !apierrors.IsNotFound(err) || err == nil && ns.DeletionTimestamp == nil {
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

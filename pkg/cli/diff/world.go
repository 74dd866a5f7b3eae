package diff

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/manifest"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/target/kubernetes"
)

// world is the cluster with the manifests applied.
type world struct {
	client  client.Client
	set     *manifest.Set
	applied *applied
	now     time.Time

	routes *bool
}

// readFacts are those of a namespace. The image of one that may not be read is in the
// status of the object.
func (w *world) readFacts(ctx context.Context, namespace, seen string) (facts.Facts, error) {
	out := facts.Facts{Namespace: namespace}
	served, err := w.areRoutesServed(ctx, namespace)
	if err != nil {
		return out, err
	}
	out.HTTPRouteServed = served
	if image := w.set.Facts(namespace, "").NamespaceImage; image != "" {
		out.NamespaceImage = image
		return out, nil
	}
	var ns corev1.Namespace
	switch err := w.client.Get(ctx, client.ObjectKey{Name: namespace}, &ns); {
	case err == nil:
		out.NamespaceImage = ns.Annotations[v1.AnnotationImage]
	case apierrors.IsForbidden(err), apierrors.IsNotFound(err):
		out.NamespaceImage = seen
	default:
		return out, err
	}
	return out, nil
}

// areRoutesServed reports whether the cluster serves HTTPRoutes. One that may not be
// listed is served.
func (w *world) areRoutesServed(ctx context.Context, namespace string) (bool, error) {
	if w.routes != nil {
		return *w.routes, nil
	}
	served := true
	err := w.client.List(ctx, &gatewayv1.HTTPRouteList{}, client.InNamespace(namespace), client.Limit(1))
	switch {
	case cluster.NotServed(err):
		served = false
	case err != nil && !apierrors.IsForbidden(err):
		return false, err
	}
	w.routes = &served
	return served, nil
}

// diffOwner has the changes of one owner's children.
func (w *world) diffOwner(ctx context.Context, o owner) (Item, error) {
	if o.module != nil {
		return w.diffModule(ctx, o.module)
	}
	if o.handler == nil {
		var h v1.GatiHandler
		if err := w.client.Get(ctx, client.ObjectKey{Namespace: o.namespace, Name: o.name}, &h); apierrors.IsNotFound(err) {
			return Item{Kind: "GatiHandler", Namespace: o.namespace, Name: o.name, Note: "there is no such handler yet"}, nil
		} else if err != nil {
			return Item{}, cluster.Explain(err)
		}
		o.handler = &h
	}
	return w.diffHandler(ctx, o.handler)
}

// compareChildren compares a plan with what is there.
func (w *world) compareChildren(ctx context.Context, owner client.Object, kind string, plan []client.Object, routes bool) ([]Change, error) {
	// An object without its kind cannot be told from a foreign one's owner.
	owner.GetObjectKind().SetGroupVersionKind(v1.GroupVersion.WithKind(kind))
	found, err := kubernetes.Changes(ctx, w.client, w.client.Scheme(), owner, plan, kubernetes.Removable(routes))
	if err != nil {
		return nil, cluster.Explain(err)
	}
	return changesOf(found), nil
}

// errRefused joins what the controller would refuse although the API server took it.
func errRefused(faults []error) error {
	return fmt.Errorf("gati-webhook would refuse it: %w", errors.Join(faults...))
}

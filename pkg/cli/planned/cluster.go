package planned

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/facts"
)

// Cluster plans children from the objects of a cluster.
type Cluster struct {
	Reader client.Reader
	// Image returns an image in place of a namespace's annotation; empty where the
	// annotation counts.
	Image func(namespace string) string
	Now   time.Time

	routes *bool
}

// readFacts returns the facts of a namespace. Where it may not be read, its image is the
// one in the status of the object.
func (c *Cluster) readFacts(ctx context.Context, namespace, observed string) (facts.Facts, error) {
	out := facts.Facts{Namespace: namespace}
	served, err := c.areRoutesServed(ctx, namespace)
	if err != nil {
		return out, err
	}
	out.HTTPRouteServed = served
	if image := c.Image(namespace); image != "" {
		out.NamespaceImage = image
		return out, nil
	}
	var ns corev1.Namespace
	switch err := c.Reader.Get(ctx, client.ObjectKey{Name: namespace}, &ns); {
	case err == nil:
		out.NamespaceImage = ns.Annotations[v1.AnnotationImage]
	case apierrors.IsForbidden(err), apierrors.IsNotFound(err):
		out.NamespaceImage = observed
	default:
		return out, err
	}
	return out, nil
}

// areRoutesServed reports whether the cluster serves HTTPRoutes. A kind that may not be
// listed is served.
func (c *Cluster) areRoutesServed(ctx context.Context, namespace string) (bool, error) {
	if c.routes != nil {
		return *c.routes, nil
	}
	served := true
	err := c.Reader.List(ctx, &gatewayv1.HTTPRouteList{}, client.InNamespace(namespace), client.Limit(1))
	switch {
	case cluster.NotServed(err):
		served = false
	case err != nil && !apierrors.IsForbidden(err):
		return false, err
	}
	c.routes = &served
	return served, nil
}

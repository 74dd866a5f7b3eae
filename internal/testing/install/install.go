// Package install applies rendered manifests to a cluster, for tests and tools
// that have a client and no kubectl.
//
// It must not know which objects these are, except that a CRD has to be
// established before its kinds can be used.
package install

import (
	"context"
	"fmt"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// fieldManager owns what is applied here. It never owns a caBundle.
const fieldManager = "gati-install"

// established is how long an API server may take to serve a CRD.
const established = 5 * time.Minute

// Apply applies the objects in their order by server-side apply, and returns
// when the API server serves the CRDs among them.
func Apply(ctx context.Context, config *rest.Config, objects []*unstructured.Unstructured) error {
	c, err := client.New(config, client.Options{})
	if err != nil {
		return fmt.Errorf("make a client to install with: %w", err)
	}
	for _, object := range objects {
		apply := client.ApplyConfigurationFromUnstructured(object.DeepCopy())
		if err := c.Apply(ctx, apply, client.FieldOwner(fieldManager), client.ForceOwnership); err != nil {
			return fmt.Errorf("apply %s %s: %w", object.GetKind(), object.GetName(), err)
		}
	}
	for _, object := range objects {
		if object.GetKind() == "CustomResourceDefinition" {
			if err := waitServed(ctx, c, object); err != nil {
				return err
			}
		}
	}
	return nil
}

func waitServed(ctx context.Context, c client.Client, crd *unstructured.Unstructured) error {
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(crd.GroupVersionKind())
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, established, true, func(ctx context.Context) (bool, error) {
		if err := c.Get(ctx, client.ObjectKeyFromObject(crd), live); err != nil {
			return false, err
		}
		return isEstablished(live), nil
	})
	if err != nil {
		return fmt.Errorf("wait until CRD %s is established: %w", crd.GetName(), err)
	}
	return nil
}

func isEstablished(object *unstructured.Unstructured) bool {
	var crd apiextensions.CustomResourceDefinition
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &crd); err != nil {
		return false
	}
	for _, condition := range crd.Status.Conditions {
		if condition.Type == apiextensions.Established {
			return condition.Status == apiextensions.ConditionTrue
		}
	}
	return false
}

package terminal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"gati.dev/gati/test/support/await"
)

// Inventory names every object that the API server has, of every kind that it
// serves, but for Events, which go by themselves.
func (c *Environment) Inventory(ctx context.Context) (map[string]bool, error) {
	config := rest.CopyConfig(c.Config)
	config.WarningHandlerWithContext = rest.NoWarnings{}
	kinds, err := discovery.NewDiscoveryClientForConfigOrDie(config).ServerPreferredResources()
	if err != nil {
		return nil, err
	}
	objects, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, group := range kinds {
		version, err := schema.ParseGroupVersion(group.GroupVersion)
		if err != nil {
			return nil, err
		}
		for _, kind := range group.APIResources {
			if kind.Name == "events" || !slices.Contains(kind.Verbs, "list") || strings.Contains(kind.Name, "/") {
				continue
			}
			list, err := objects.Resource(version.WithResource(kind.Name)).List(ctx, metav1.ListOptions{})
			if apierrors.IsMethodNotSupported(err) || apierrors.IsNotFound(err) {
				continue // It has just gone, or is no kind of stored objects.
			}
			if err != nil {
				return nil, fmt.Errorf("list %s: %w", kind.Name, err)
			}
			for _, item := range list.Items {
				out[fmt.Sprintf("%s.%s %s/%s", kind.Name, version.Group, item.Namespace, item.Name)] = true
			}
		}
	}
	return out, nil
}

// MustInventory is Inventory for where it has to succeed.
func (c *Environment) MustInventory(t testing.TB) map[string]bool {
	t.Helper()
	all, err := c.Inventory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("an API server with %d objects is not looked at right", len(all))
	}
	return all
}

// AtRest waits until no object comes or goes, and returns what there is.
func (c *Environment) AtRest(t testing.TB) map[string]bool {
	t.Helper()
	var now map[string]bool
	await.Eventually(t, "cluster at rest", func() error {
		was := now
		now = c.MustInventory(t)
		if !maps.Equal(was, now) {
			return errors.New("objects come and go")
		}
		return nil
	})
	return now
}

// Difference returns the entries of one inventory that the other lacks.
func Difference(of, from map[string]bool) []string {
	var out []string
	for name := range of {
		if !from[name] {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

package integration

import (
	"maps"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// versionsIn returns the resourceVersion of every object of a namespace, which is
// the revision of etcd that wrote it: of every kind that the API server serves,
// but for Events and what every namespace is given some time after it was made.
func versionsIn(t *testing.T, ns string) map[string]string {
	t.Helper()
	config, err := cluster.Admin()
	if err != nil {
		t.Fatal(err)
	}
	lists, err := discovery.NewDiscoveryClientForConfigOrDie(config).ServerPreferredNamespacedResources()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, l := range lists {
		for _, r := range l.APIResources {
			if slices.Contains(r.Verbs, "list") && r.Kind != "Event" && r.Kind != "ServiceAccount" {
				addVersions(t, out, ns, schema.FromAPIVersionAndKind(l.GroupVersion, r.Kind))
			}
		}
	}
	return out
}

func addVersions(t *testing.T, out map[string]string, ns string, kind schema.GroupVersionKind) {
	t.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(kind)
	err := admin.List(t.Context(), list, client.InNamespace(ns))
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		return // Its CRD is being installed or removed beside this test.
	}
	if err != nil {
		t.Fatalf("list %s: %v", kind, err)
	}
	for _, o := range list.Items {
		if !strings.HasSuffix(o.GetName(), "kube-root-ca.crt") {
			out[kind.Kind+" "+o.GetName()] = o.GetResourceVersion()
		}
	}
}

func versionsWithout(versions map[string]string, kind string) map[string]string {
	out := maps.Clone(versions)
	maps.DeleteFunc(out, func(key, _ string) bool { return strings.HasPrefix(key, kind+" ") })
	return out
}

func checkSameVersions(t *testing.T, ns string, before map[string]string) {
	t.Helper()
	now := versionsIn(t, ns)
	for name, version := range now {
		if before[name] != version {
			t.Errorf("%s is at %s, it was at %q: a dry run wrote it", name, version, before[name])
		}
	}
	for name := range before {
		if _, there := now[name]; !there {
			t.Errorf("%s has gone", name)
		}
	}
}

package integration

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/api/v1alpha1"
	"gati.dev/gati/test/support/await"

	"gati.dev/gati/test/support/repository"
)

// The samples by file name.
const (
	sampleBlog    = "000-blog-users-api.yaml"
	sampleReadme  = "001-readme.yaml"
	sampleSummary = "002-summary.yaml"
	sampleCRDs    = "003-crd-reference.yaml"
)

// manifest is a file of Gati objects and where it is applied.
type manifest struct {
	path      string
	namespace string
	objects   []*unstructured.Unstructured
}

func samplePath(name string) string { return repository.Path("manifests", "samples", name) }

// asIs is a sample as it lies there, for a namespace.
func asIs(t *testing.T, name, ns string) manifest {
	t.Helper()
	path := samplePath(name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return manifest{path: path, namespace: ns, objects: parseObjects(t, text)}
}

// inVersion is a sample with all objects converted to v1 or v1alpha1, and
// without the namespaces that they name.
func inVersion(t *testing.T, name, ns, version string) manifest {
	t.Helper()
	m := asIs(t, name, ns)
	var file bytes.Buffer
	for _, obj := range m.objects {
		obj.SetNamespace("")
		obj.Object = convertObject(t, obj.Object, version)
		text, err := obj.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&file, "---\n%s\n", text)
	}
	m.path = filepath.Join(t.TempDir(), version+"-"+name)
	if err := os.WriteFile(m.path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return m
}

// convertObject returns an object in a version, by the functions that the conversion
// webhook uses.
func convertObject(t *testing.T, obj map[string]any, version string) map[string]any {
	t.Helper()
	from, _ := obj["apiVersion"].(string)
	var err error
	switch {
	case from == v1.Group+"/"+version:
	case version == "v1":
		obj, err = v1alpha1.ToV1(obj)
	default:
		obj, err = v1alpha1.FromV1(obj)
	}
	if err != nil {
		t.Fatalf("convert %s to %s: %v", from, version, err)
	}
	return obj
}

func parseObjects(t *testing.T, text []byte) []*unstructured.Unstructured {
	t.Helper()
	var out []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		var raw json.RawMessage
		err := decoder.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return out
		}
		obj := &unstructured.Unstructured{}
		if err == nil {
			err = obj.UnmarshalJSON(raw)
		}
		if err != nil {
			t.Fatalf("parse manifest: %v:\n%s", err, text)
		}
		out = append(out, obj)
	}
}

// verb is a way to bring a manifest to the cluster: the arguments of kubectl for
// the first time, and those for a later file over what is there.
type verb struct {
	name        string
	first, next []string
}

var verbs = []verb{
	{"apply", []string{"apply"}, []string{"apply"}},
	{"apply --server-side", []string{"apply", "--server-side"}, []string{"apply", "--server-side"}},
	{"create", []string{"create"}, []string{"replace"}},
}

// runKubectl calls kubectl with the file of a manifest.
func (m manifest) runKubectl(t *testing.T, args ...string) string {
	t.Helper()
	args = append(args, "-f", m.path)
	if !slices.Contains(args, "--dry-run=server") {
		return runKubectl(t, m.namespace, "", args...)
	}
	// A dry run that did not reach the webhook in time may be sent again.
	var out string
	await.Eventually(t, "dry run that reaches the webhook", func() (err error) {
		out, err = cluster.Run(t.Context(), "", append([]string{"-n", m.namespace}, args...)...)
		if err != nil && !notReached(err) {
			t.Fatal(err)
		}
		return err
	})
	return out
}

// notReached reports whether the API server called the webhook in vain.
func notReached(err error) bool { return strings.Contains(err.Error(), "failed to call webhook") }

// deleteAndAwait deletes what the manifest names and waits until all children are gone.
func (m manifest) deleteAndAwait(t *testing.T) {
	t.Helper()
	m.runKubectl(t, "delete", "--ignore-not-found")
	noChildren(t, m.namespace)
}

// readObject returns what the cluster has of an object of the manifest, in a version.
func (m manifest) readObject(t *testing.T, obj *unstructured.Unstructured, version string) *unstructured.Unstructured {
	t.Helper()
	out := &unstructured.Unstructured{}
	out.SetAPIVersion(v1.Group + "/" + version)
	out.SetKind(obj.GetKind())
	key := m.objectKey(obj)
	if err := admin.Get(t.Context(), key, out); err != nil {
		t.Fatalf("read %s %s as %s: %v", obj.GetKind(), key, version, err)
	}
	return out
}

// resourceVersions returns the resourceVersion of each object of the manifest, and who
// wrote it last.
func (m manifest) resourceVersions(t *testing.T) string {
	t.Helper()
	var out []string
	for _, obj := range m.objects {
		live := m.readObject(t, obj, "v1")
		out = append(out, fmt.Sprintf("%s %s at %s by %s", live.GetKind(), live.GetName(), live.GetResourceVersion(), lastWriter(live)))
	}
	return strings.Join(out, ", ")
}

func (m manifest) objectKey(obj *unstructured.Unstructured) client.ObjectKey {
	return client.ObjectKey{Namespace: m.namespace, Name: obj.GetName()}
}

// lastWriter names the manager that wrote an object last, and what of it.
func lastWriter(obj *unstructured.Unstructured) string {
	name, latest := "nobody", time.Time{}
	for _, e := range obj.GetManagedFields() {
		if e.Time != nil && !e.Time.Time.Before(latest) {
			name, latest = strings.Trim(e.Manager+"/"+e.Subresource, "/"), e.Time.Time
		}
	}
	return name
}

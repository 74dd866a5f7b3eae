package certificates_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/manifests"
	"gati.dev/gati/test/support/await"
)

// The ClusterRole has to let the controllers do all that the samples ask for.
func TestTheRightsOfTheManifestsSuffice(t *testing.T) {
	port := freePort(t)
	c := needCluster(t, "https://"+loopbackAddress(port))
	p := startProcess(t, c, port)
	p.awaitReady(t, "ready")
	await.Eventually(t, "leader", func() error { _, err := c.readLeader(t); return err })

	// Nothing here removes children, and those of an earlier run would prove nothing.
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "samples-"}}
	if err := c.client.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	for _, object := range readSample(t, "001-readme.yaml") {
		object.SetNamespace(ns.Name)
		if err := c.client.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := c.client.Delete(context.WithoutCancel(t.Context()), object); err != nil {
				t.Error(err)
			}
		})
	}
	for _, name := range []string{"handler-user-handler", "module-db-module"} {
		await.Eventually(t, "Deployment "+name, func() error {
			return c.client.Get(t.Context(), client.ObjectKey{Namespace: ns.Name, Name: name}, &appsv1.Deployment{})
		})
	}
	if p.log.countText("forbidden") > 0 {
		t.Errorf("the log tells of missing rights:\n%s", p.log.String())
	}
}

// readSample reads the handlers and modules of a sample.
func readSample(t *testing.T, name string) []client.Object {
	t.Helper()
	data, err := fs.ReadFile(manifests.FS, "samples/"+name)
	if err != nil {
		t.Fatal(err)
	}
	var objects []client.Object
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096); ; {
		object := &unstructured.Unstructured{}
		if err := decoder.Decode(object); errors.Is(err, io.EOF) {
			return objects
		} else if err != nil {
			t.Fatal(fmt.Errorf("%s: %w", name, err))
		}
		if slices.Contains([]string{"GatiHandler", "GatiModule"}, object.GetKind()) {
			objects = append(objects, object)
		}
	}
}

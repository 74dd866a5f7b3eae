package chart

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/helmchart"
	"gati.dev/gati/test/support/repository"
)

// namespace is that of the releases; the plans are for others.
const namespace = "elsewhere"

// Helm finds nothing wrong with the chart of each plan of pkg/expand, and renders it to the
// plan. What the chart says of itself, which the target helm keeps as the manifest of a
// release without rendering anything, is the same.
func TestChartsRenderToThePlan(t *testing.T) {
	files, err := filepath.Glob(repository.Path("pkg", "expand", "testdata", "*.golden.yaml"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d plans: %v", len(files), err)
	}
	charts := []string{"lint", "--strict"}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		plan := decodeObjects(t, text)
		chart, folder := newChart(t, plan)
		charts = append(charts, folder)
		t.Run(strings.TrimSuffix(filepath.Base(file), ".golden.yaml"), func(t *testing.T) {
			checkRendered(t, plan, chart, folder)
		})
	}
	if out, err := runHelm(t, charts...); err != nil {
		t.Errorf("helm lint: %v\n%s", err, out)
	}
}

// Nothing that an object says is taken for an action of a template.
func TestChartsHoldWhatLooksLikeATemplate(t *testing.T) {
	const object = `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "shop", "labels": {"gati.dev/handler": "users"}},
		"data": {"a": "{{ .Values.x }}", "b": "{{- fail \"no\" -}}", "c": "gatiHole_0_", "d": "}} {{{ {{", "{{ e }}": "line\n{{/* x */}}\n", "f": "a\n---\nb\n"}}`
	plan := decodeObjects(t, []byte(object))
	chart, folder := newChart(t, plan)
	checkRendered(t, plan, chart, folder)
}

// newChart returns the chart of a plan and the folder that it is written to.
func newChart(t *testing.T, plan objects) (helmchart.Chart, string) {
	t.Helper()
	var children []client.Object
	for _, object := range plan {
		children = append(children, object)
	}
	chart, err := helmchart.New(children)
	if err != nil {
		t.Fatal(err)
	}
	return chart, writeChart(t, chart)
}

func checkRendered(t *testing.T, plan objects, chart helmchart.Chart, folder string) {
	t.Helper()
	text, err := runHelm(t, "template", chart.Name, folder, "--namespace", namespace)
	if err != nil {
		t.Fatalf("helm template: %v\n%s", err, text)
	}
	rendered := decodeObjects(t, []byte(text))
	if diff := cmp.Diff(asInstalled(plan), rendered); diff != "" {
		t.Errorf("(-plan +helm template):\n%s", diff)
	}
	var own bytes.Buffer
	for _, f := range chart.Rendered {
		own.WriteString("---\n")
		own.Write(f.Data)
	}
	if diff := cmp.Diff(rendered, inNamespace(decodeObjects(t, own.Bytes()))); diff != "" {
		t.Errorf("(-helm template +what the chart says of itself):\n%s", diff)
	}
}

func writeChart(t *testing.T, c helmchart.Chart) string {
	t.Helper()
	folder, files := filepath.Join(t.TempDir(), c.Name), fstest.MapFS{}
	for _, f := range c.Files {
		files[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	if err := os.CopyFS(folder, files); err != nil {
		t.Fatal(err)
	}
	return folder
}

// asInstalled returns a plan as it is in the namespace of the release.
func asInstalled(plan objects) objects {
	out := objects{}
	for id, object := range plan {
		object = object.DeepCopy()
		delete(object.Object, "status")
		labels := object.GetLabels()
		labels[v1.LabelTarget] = v1.TargetHelm
		object.SetLabels(labels)
		object.SetOwnerReferences(nil)
		unstructured.RemoveNestedField(object.Object, "metadata", "creationTimestamp")
		unstructured.RemoveNestedField(object.Object, "spec", "template", "metadata", "creationTimestamp")
		out[id] = object
	}
	return inNamespace(out)
}

// inNamespace returns objects as in the namespace of the release.
func inNamespace(all objects) objects {
	out := objects{}
	for _, object := range all {
		object.SetNamespace(namespace)
		out[strings.Join([]string{object.GetKind(), namespace, object.GetName()}, "/")] = object
	}
	return out
}

package helm

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/helmchart"
)

// plans are the goldens of package expand: a plan for each feature.
const plans = "../../expand/testdata/*.golden.yaml"

// Helm renders each chart to the plan, and finds nothing wrong with it.
func TestChartsRenderToThePlan(t *testing.T) {
	files, err := filepath.Glob(plans)
	if err != nil || len(files) < 20 {
		t.Fatalf("%d plans in %s: %v", len(files), plans, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".golden.yaml"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			plan := decodeAll(t, string(text))
			chart, err := helmchart.New(plan)
			if err != nil {
				t.Fatal(err)
			}
			dir := write(t, chart)
			lint := action.NewLint()
			lint.Strict = true
			if found := lint.Run([]string{dir}, nil); len(found.Errors) > 0 {
				t.Errorf("helm lint: %v", found.Errors)
			}
			if diff := cmp.Diff(sorted(asInstalled(plan)), sorted(render(t, chart.Name, dir))); diff != "" {
				t.Errorf("(-plan +helm template):\n%s", diff)
			}
		})
	}
}

// Nothing that an object says is taken for an action of a template.
func TestChartsHoldWhatLooksLikeATemplate(t *testing.T) {
	const object = `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "shop", "labels": {"gati.dev/handler": "users"}},
		"data": {"a": "{{ .Values.x }}", "b": "{{- fail \"no\" -}}", "c": "gatiHole_0_", "d": "}} {{{ {{", "{{ e }}": "line\n{{/* x */}}\n"}}`
	plan := decodeAll(t, object)
	chart, err := helmchart.New(plan)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sorted(asInstalled(plan)), sorted(render(t, chart.Name, write(t, chart)))); diff != "" {
		t.Errorf("(-plan +helm template):\n%s", diff)
	}
}

func write(t *testing.T, c helmchart.Chart) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), c.Name)
	for _, f := range c.Files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// render is "helm template".
func render(t *testing.T, name, dir string) []client.Object {
	t.Helper()
	chart, err := loader.LoadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	i := action.NewInstall(action.NewConfiguration())
	i.DryRunStrategy, i.ReleaseName, i.Namespace = action.DryRunClient, name, "shop"
	out, err := i.Run(chart, map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	rendered, err := asRelease(out)
	if err != nil {
		t.Fatal(err)
	}
	return decodeAll(t, rendered.Manifest)
}

func decodeAll(t *testing.T, text string) []client.Object {
	t.Helper()
	var out []client.Object
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewBufferString(text), 4096)
	for {
		u := &unstructured.Unstructured{}
		err := decoder.Decode(&u.Object)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(u.Object) > 0 {
			out = append(out, u)
		}
	}
}

// asInstalled returns a plan as it is in the namespace of the release.
func asInstalled(plan []client.Object) []client.Object {
	var out []client.Object
	for _, obj := range plan {
		u := obj.DeepCopyObject().(*unstructured.Unstructured)
		delete(u.Object, "status")
		labels := u.GetLabels()
		labels[v1.LabelTarget] = v1.TargetHelm
		u.SetLabels(labels)
		u.SetOwnerReferences(nil)
		u.SetNamespace("shop")
		unstructured.RemoveNestedField(u.Object, "metadata", "creationTimestamp")
		unstructured.RemoveNestedField(u.Object, "spec", "template", "metadata", "creationTimestamp")
		out = append(out, u)
	}
	return out
}

func sorted(list []client.Object) []client.Object {
	slices.SortFunc(list, func(a, b client.Object) int {
		return strings.Compare(a.GetObjectKind().GroupVersionKind().Kind+a.GetName(), b.GetObjectKind().GroupVersionKind().Kind+b.GetName())
	})
	return list
}

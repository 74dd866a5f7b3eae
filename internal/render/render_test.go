package render_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"gati.dev/gati/internal/render"
)

var overlays = map[string]render.Options{
	"default":       {Overlay: render.OverlayDefault},
	"cert-manager":  {Overlay: render.OverlayCertManager},
	"local":         {Overlay: render.OverlayLocal, URL: "https://127.0.0.1:12345"},
	"webhook-peers": {Overlay: render.OverlayWebhookPeers},
	"helm":          {Overlay: render.OverlayHelm},
}

func TestInstallIsCurrent(t *testing.T) {
	want, err := render.YAML(render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../manifests/install.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("manifests/install.yaml is not what overlays/default renders to; run: go run ./hack/render -o manifests/install.yaml")
	}
}

func TestEmbeddedTreeIsTheOneOnDisk(t *testing.T) {
	for name, o := range overlays {
		t.Run(name, func(t *testing.T) {
			embedded, err := render.YAML(o)
			if err != nil {
				t.Fatal(err)
			}
			o.FS = os.DirFS("../../manifests")
			onDisk, err := render.YAML(o)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(embedded, onDisk) {
				t.Error("the embedded manifests render to something else than those on disk")
			}
		})
	}
}

// TestEveryObjectDecodesStrictly holds that Kubernetes knows each field. Objects of
// cert-manager are tested in test/programs/certmanager.
func TestEveryObjectDecodesStrictly(t *testing.T) {
	s := runtime.NewScheme()
	utilruntime.Must(scheme.AddToScheme(s))
	utilruntime.Must(apiextensions.AddToScheme(s))
	decoder := serializer.NewCodecFactory(s, serializer.EnableStrict).UniversalDeserializer()
	for name, o := range overlays {
		t.Run(name, func(t *testing.T) {
			for _, object := range objects(t, o) {
				if object.GroupVersionKind().Group == "cert-manager.io" {
					continue
				}
				if _, _, err := decoder.Decode(compact(t, object), nil, nil); err != nil {
					t.Errorf("%s %s: %v", object.GetKind(), object.GetName(), err)
				}
			}
		})
	}
}

// "kubectl apply" keeps the object in an annotation, and all annotations of an
// object together may have 262144 bytes.
func TestEveryObjectFitsTheAnnotationOfKubectlApply(t *testing.T) {
	const limit = 262144
	for name, o := range overlays {
		t.Run(name, func(t *testing.T) {
			for _, object := range objects(t, o) {
				if size := len(compact(t, object)); size >= limit {
					t.Errorf("%s %s has %d bytes, kubectl apply takes less than %d", object.GetKind(), object.GetName(), size, limit)
				}
			}
		})
	}
}

func TestOrder(t *testing.T) {
	rank := map[string]int{
		"Namespace": 0, "CustomResourceDefinition": 1, "ServiceAccount": 2,
		"Role": 3, "ClusterRole": 3, "RoleBinding": 4, "ClusterRoleBinding": 4,
		"MutatingWebhookConfiguration": 9, "ValidatingWebhookConfiguration": 9,
	}
	for name, o := range overlays {
		t.Run(name, func(t *testing.T) {
			last := 0
			for _, object := range objects(t, o) {
				r, ok := rank[object.GetKind()]
				if !ok {
					r = 5
				}
				if r < last {
					t.Errorf("%s %s comes too late", object.GetKind(), object.GetName())
				}
				last = r
			}
		})
	}
}

// Applying a placeholder again would take away the CA that was injected.
func TestNoCABundle(t *testing.T) {
	for name, o := range overlays {
		t.Run(name, func(t *testing.T) {
			rendered, err := render.YAML(o)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(rendered, []byte("caBundle:")) {
				t.Error("the rendered objects hold a caBundle")
			}
		})
	}
}

func TestLocalHasNoWorkload(t *testing.T) {
	out := []string{"Deployment", "Service", "PodDisruptionBudget", "ConfigMap", "PriorityClass", "NetworkPolicy"}
	for _, object := range objects(t, overlays["local"]) {
		if slices.Contains(out, object.GetKind()) {
			t.Errorf("overlay local has a %s", object.GetKind())
		}
	}
}

func TestReplacements(t *testing.T) {
	tests := map[string]struct {
		options render.Options
		want    string // in the output
		count   int
		err     string
	}{
		"a url goes to all six": {
			options: render.Options{Overlay: render.OverlayLocal, URL: "https://10.0.0.1:444"},
			want:    "url: https://10.0.0.1:444/", count: 6,
		},
		"an image": {
			options: render.Options{Image: "registry.example/gati-webhook:v9"},
			want:    "image: registry.example/gati-webhook:v9", count: 2,
		},
		"a url needs the overlay local": {
			options: render.Options{URL: "https://10.0.0.1:444"}, err: "use overlay local",
		},
		"a url has no path": {
			options: render.Options{Overlay: render.OverlayLocal, URL: "https://10.0.0.1:444/x"}, err: "without a path",
		},
		"a url is https": {
			options: render.Options{Overlay: render.OverlayLocal, URL: "http://10.0.0.1:444"}, err: "want https",
		},
		"no image without a Deployment": {
			options: render.Options{Overlay: render.OverlayLocal, Image: "x"}, err: "no Deployment",
		},
		"an unknown overlay": {
			options: render.Options{Overlay: "prod"}, err: "choose one of: cert-manager, default, helm, local",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			rendered, err := render.YAML(tc.options)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("got error %v, want one that says %q", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := bytes.Count(rendered, []byte(tc.want)); got != tc.count {
				t.Errorf("%q occurs %d times, want %d", tc.want, got, tc.count)
			}
		})
	}
}

func objects(t *testing.T, o render.Options) []*unstructured.Unstructured {
	t.Helper()
	got, err := render.Objects(o)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func compact(t *testing.T, object *unstructured.Unstructured) []byte {
	t.Helper()
	raw, err := json.Marshal(object.Object)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

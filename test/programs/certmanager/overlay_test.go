package certmanager

import (
	"testing"

	certmanager "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"gati.dev/gati/internal/render"
)

// TestEveryObjectDecodesStrictly holds that cert-manager knows each field of the objects
// that the overlay has for it. Those of Kubernetes are tested in internal/render.
func TestEveryObjectDecodesStrictly(t *testing.T) {
	s := runtime.NewScheme()
	if err := certmanager.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	decoder := serializer.NewCodecFactory(s, serializer.EnableStrict).UniversalDeserializer()
	all, err := render.Objects(render.Options{Overlay: render.OverlayCertManager})
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, object := range all {
		if object.GroupVersionKind().Group != certmanager.SchemeGroupVersion.Group {
			continue
		}
		kinds[object.GetKind()]++
		text, err := object.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := decoder.Decode(text, nil, nil); err != nil {
			t.Errorf("%s %s: %v", object.GetKind(), object.GetName(), err)
		}
	}
	if kinds["Issuer"] == 0 || kinds["Certificate"] == 0 {
		t.Errorf("the overlay has %v, want an Issuer and a Certificate", kinds)
	}
}

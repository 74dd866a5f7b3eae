package bench

import (
	"encoding/json"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/schemas"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/schema"
	hooks "gati.dev/gati/pkg/webhook/admission"
)

// TestBenchValidateSchema times the update of a handler whose new version has a
// schema of 64 KiB that is compared with another of that size: both were read
// before, as on every write but the first.
func TestBenchValidateSchema(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	old, new := schemas.Sizes[len(schemas.Sizes)-1].Pair()
	cache := &schema.Cache{}
	hook := &hooks.Validator{
		Facts: source{}, Pipeline: admit.Pipeline{Read: cache.Parse}, Judge: &compat.Judge{Read: cache.Parse},
		Live: fake.NewClientBuilder().WithScheme(scheme).Build(),
	}
	request := admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		Kind: metav1.GroupVersionKind{Group: v1.Group, Version: "v1", Kind: "GatiHandler"}, Operation: admissionv1.Update, Namespace: "default", Name: "users",
		Object: rawHandler(t, "v2", new), OldObject: rawHandler(t, "v1", old),
	}}
	timeCalls(t, "admission, validate, 64 KiB schema", validateBudget, calls/5, []admission.Request{request}, hook.Handle)
}

// rawHandler is a handler on the wire whose version serves with a schema.
func rawHandler(t *testing.T, version string, input []byte) runtime.RawExtension {
	t.Helper()
	var h client.Object = builders.MakeHandler("users").Image("app:" + version).Gateway("web").Strategy(v1.StrategyCanary).Spec(func(s *v1.GatiHandlerSpec) {
		s.Schema = &v1.VersionSchema{Input: &apiextensionsv1.JSON{Raw: input}}
	}).Obj()
	text, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	return runtime.RawExtension{Raw: text}
}

// TestBenchCompare times comparing two versions, their schemas read before. The
// bar is 100 µs for a small one.
func TestBenchCompare(t *testing.T) {
	for _, size := range schemas.Sizes {
		old, new := size.Pair()
		a, errA := schema.Parse(old)
		b, errB := schema.Parse(new)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		perCall(t, "compare, "+size.Name, func(int) {
			schema.Compatibility(schema.Version{Input: a}, schema.Version{Input: b}, schema.Backward)
		})
	}
}

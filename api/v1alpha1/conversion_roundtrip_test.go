package v1alpha1

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/randfill"

	v1 "gati.dev/gati/api/v1"
)

// roundTrips is how many random objects each direction converts there and back;
// GATI_ROUNDTRIPS sets another number.
func roundTrips(t *testing.T) int {
	n := 4_000
	if text := os.Getenv("GATI_ROUNDTRIPS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatalf("GATI_ROUNDTRIPS: %v", err)
		}
	}
	return n
}

// newerKinds and olderKinds are empty typed objects of each version.
var (
	newerKinds = []func() any{
		func() any { return &v1.GatiHandler{} },
		func() any { return &v1.GatiModule{} },
		func() any { return &v1.GatiVersion{} },
	}
	olderKinds = []func() any{
		func() any { return &GatiHandler{} },
		func() any { return &GatiModule{} },
		func() any { return &GatiVersion{} },
	}
)

func TestRoundTripFromV1(t *testing.T) {
	r := newRandom(1)
	for i := range roundTrips(t) {
		if diff := thereAndBack(t, r.object(t, "gati.dev/v1", newerKinds[i%len(newerKinds)]()), FromV1, ToV1); diff != "" {
			t.Fatalf("object %d (-want +got):\n%s", i, diff)
		}
	}
}

func TestRoundTripToV1(t *testing.T) {
	r := newRandom(2)
	for i := range roundTrips(t) {
		if diff := thereAndBack(t, r.object(t, "gati.dev/v1alpha1", olderKinds[i%len(olderKinds)]()), ToV1, FromV1); diff != "" {
			t.Fatalf("object %d (-want +got):\n%s", i, diff)
		}
	}
}

// thereAndBack converts an object to the other version and back, and returns the
// difference.
func thereAndBack(t testing.TB, obj map[string]any, there, back func(map[string]any) (map[string]any, error)) string {
	t.Helper()
	want := runtime.DeepCopyJSON(obj)
	other, err := there(obj)
	if err != nil {
		t.Fatalf("there: %v\n%v", err, want)
	}
	got, err := back(throughJSON(t, other))
	if err != nil {
		t.Fatalf("back: %v\n%v", err, want)
	}
	return diffOf(want, got)
}

// diffOf is cmp.Diff for what is nearly always equal: comparing alone is cheaper.
func diffOf(want, got map[string]any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}

// TestRoundTripCarried starts from objects of v1alpha1 with carried fields whose
// visible fields were changed at random, as a client reads and writes them. The visible
// fields must come back as written.
func TestRoundTripCarried(t *testing.T) {
	r := newRandom(3)
	for i := range roundTrips(t) {
		newer, visible := any(&v1.GatiHandler{}), any(&GatiHandler{})
		if i%2 == 1 {
			newer, visible = &v1.GatiVersion{}, &GatiVersion{}
		}
		obj, err := FromV1(r.object(t, "gati.dev/v1", newer))
		if err != nil {
			t.Fatalf("object %d: %v", i, err)
		}
		obj["spec"] = r.object(t, "gati.dev/v1alpha1", visible)["spec"]
		up, err := ToV1(obj)
		if err != nil {
			t.Fatalf("object %d: ToV1: %v", i, err)
		}
		down, err := FromV1(up)
		if err != nil {
			t.Fatalf("object %d: FromV1: %v", i, err)
		}
		if diff := diffOf(visibleOf(obj), visibleOf(down)); diff != "" {
			t.Fatalf("object %d (-want +got):\n%s", i, diff)
		}
	}
}

// visibleOf returns the spec without empty lists and objects, which come back as absent
// when only v1 entries remain.
func visibleOf(obj map[string]any) map[string]any {
	spec, _ := obj["spec"].(map[string]any)
	out := map[string]any{}
	for name, value := range spec {
		list, isList := value.([]any)
		object, isObject := value.(map[string]any)
		if value == nil || isList && len(list) == 0 || isObject && len(object) == 0 {
			continue
		}
		out[name] = value
	}
	return out
}

// random generates objects of random content.
type random struct{ filler *randfill.Filler }

func newRandom(seed int64) random { return randomOf(randfill.NewWithSeed(seed)) }

func randomOf(filler *randfill.Filler) random {
	texts := []string{"", "a", "v1", "/x", "10s", "A", "B", "C", "é\"<&>\\\u2028", "1000m"}
	return random{filler: filler.NilChance(0.6).NumElements(0, 3).Funcs(
		func(s *string, c randfill.Continue) { *s = texts[c.Intn(len(texts))] },
		func(q *resource.Quantity, c randfill.Continue) {
			*q = resource.MustParse([]string{"0", "1", "1000m", "1.5Gi", "100k"}[c.Intn(5)])
		},
		func(j *apiextensionsv1.JSON, c randfill.Continue) {
			j.Raw = []byte([]string{`{}`, `{"type":"object","minimum":1.5}`, `{"a":[null,true,9007199254740993]}`}[c.Intn(3)])
		},
		func(x *intstr.IntOrString, c randfill.Continue) { *x = intstr.FromInt32(c.Int31()) },
		func(x *metav1.Time, c randfill.Continue) { *x = metav1.Unix(c.Int63n(1<<32), 0) },
		func(x *metav1.FieldsV1, _ randfill.Continue) { x.SetRawBytes([]byte(`{"f:spec":{}}`)) },
		// Only annotations and names matter here.
		func(m *metav1.ObjectMeta, c randfill.Continue) {
			c.Fill(&m.Name)
			c.Fill(&m.Labels)
			c.Fill(&m.ManagedFields)
			if c.Bool() {
				m.Annotations = map[string]string{"a": "b"}
			}
		},
	)}
}

// object fills a typed object and returns it in the API server's form, with empty lists
// and objects where no typed client writes them.
func (r random) object(t testing.TB, apiVersion string, typed any) map[string]any {
	t.Helper()
	r.filler.Fill(typed)
	raw, err := json.Marshal(typed)
	if err != nil {
		t.Fatal(err)
	}
	obj := object(t, apiVersion, kindOf(typed), string(raw))
	spec := obj["spec"].(map[string]any)
	var dice uint8
	r.filler.Fill(&dice)
	switch name := map[string]string{"GatiVersion": "transformers"}[kindOf(typed)]; {
	case dice >= 64:
	case name != "":
		spec[name] = []any{}
	case apiVersion == "gati.dev/v1":
		spec["env"] = []any{}
	default:
		spec["env"] = map[string]any{}
	}
	return obj
}

func kindOf(typed any) string {
	switch typed.(type) {
	case *v1.GatiHandler, *GatiHandler:
		return "GatiHandler"
	case *v1.GatiModule, *GatiModule:
		return "GatiModule"
	case *v1.GatiVersion, *GatiVersion:
		return "GatiVersion"
	}
	panic(fmt.Sprintf("no kind: %T", typed))
}

// throughJSON encodes and decodes an object, as between two requests.
func throughJSON(t testing.TB, obj map[string]any) map[string]any {
	t.Helper()
	raw, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

package validation

import (
	"encoding/json"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/randfill"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/crdtest"
)

// FuzzValidate decodes any JSON into each kind, and checks that validation never panics
// and is deterministic.
func FuzzValidate(f *testing.F) {
	f.Add([]byte(`{"spec":{"path":"/a/:b","route":{"filters":[{"type":"CORS","cors":{}}]},"pod":{"volumes":[{"projected":{"sources":[{}]}}]}}}`), []byte(`{}`))
	f.Add([]byte(`{"spec":{"type":"node","config":{"":""},"env":[{"valueFrom":{}}],"resources":{"requests":{"":"-1"}}}}`), []byte(`null`))
	f.Add([]byte(`{"spec":{"transformers":[{}],"schema":{"input":null}}}`), []byte(`{"spec":{"timestamp":null,"schema":{"input":{"a":1}},"transformers":[{"name":"a"}]}}`))
	f.Fuzz(func(_ *testing.T, new, old []byte) {
		var handler, oldHandler v1.GatiHandler
		if json.Unmarshal(new, &handler) == nil {
			_ = json.Unmarshal(old, &oldHandler)
			SplitStoredErrors(ValidateHandler(&handler, &oldHandler), ValidateHandler(&oldHandler, nil))
			WarnHandler(&handler)
		}
		var module v1.GatiModule
		if json.Unmarshal(new, &module) == nil {
			SplitStoredErrors(ValidateModule(&module, nil), ValidateModule(&module, &module))
			WarnModule(&module)
		}
		var version, oldVersion v1.GatiVersion
		if json.Unmarshal(new, &version) == nil {
			_ = json.Unmarshal(old, &oldVersion)
			SplitStoredErrors(ValidateVersion(&version, &oldVersion), ValidateVersion(&oldVersion, nil))
			WarnVersion(&version, v1.StrategyCanary)
		}
	})
}

// TestSupersetOfCRD fills objects with texts and numbers at the edge of the rules, and
// checks that the CRD
// rejects no field that neither its schema nor validation rejects.
func TestSupersetOfCRD(t *testing.T) {
	r := edges(4)
	superset(t, "GatiHandler", checkHandler, func() *v1.GatiHandler {
		h := &v1.GatiHandler{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
		r.Fill(&h.Spec)
		return h
	})
	superset(t, "GatiModule", checkModule, func() *v1.GatiModule {
		m := &v1.GatiModule{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
		r.Fill(&m.Spec)
		return m
	})
	superset(t, "GatiVersion", checkVersion, func() *v1.GatiVersion {
		v := &v1.GatiVersion{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
		r.Fill(&v.Spec)
		return v
	})
}

func superset[T any](t *testing.T, kind string, checks func(new, old *T) []outcome, next func() *T) {
	crd := crdtest.Load(t, kind, "v1")
	t.Run(kind, func(t *testing.T) {
		beyond := 0
		for i := range 1000 {
			new, old := next(), (*T)(nil)
			if i%2 == 1 {
				old = next()
			}
			bounds, within := schemaErrors(t, kind, new)
			if !within {
				beyond++
				beyondBounds(t, findByCRD(t, crd, new, old), bounds)
				continue // the other rules are not asked
			}
			covered(t, crd, new, old, bounds, withSchema(bounds, runChecks(checks, new, old)))
			if t.Failed() {
				raw, _ := json.Marshal(new)
				t.Fatalf("object %d: %s", i, raw)
			}
		}
		if beyond < 10 || beyond > 500 {
			t.Errorf("%d of 1,000 objects are beyond their bounds", beyond)
		}
	})
}

// beyondBounds fails where the CRD does not find a bound broken that the pipeline refuses for.
func beyondBounds(t *testing.T, byCRD, bounds field.ErrorList) {
	t.Helper()
	for _, e := range bounds {
		if !slices.ContainsFunc(byCRD, func(c *field.Error) bool { return c.Error() == e.Error() }) {
			t.Errorf("only the pipeline finds: %v\nthe CRD finds: %v", e, byCRD)
		}
	}
}

// filler fills objects with values at the edge of the rules.
type filler struct {
	*randfill.Filler
	dice *rand.Rand
}

func edges(seed int64) filler {
	numbers := []int64{-1, 0, 1, 50, 100, 101, 65536, 1 << 30}
	return filler{dice: rand.New(rand.NewSource(seed)), Filler: randfill.NewWithSeed(seed).NilChance(0.5).NumElements(0, 3).Funcs(
		func(n *int32, c randfill.Continue) { *n = int32(numbers[c.Intn(len(numbers))]) },
		func(n *int64, c randfill.Continue) { *n = numbers[c.Intn(len(numbers))] },
		func(n *int, c randfill.Continue) { *n = int(numbers[c.Intn(len(numbers))]) },
		func(q *resource.Quantity, c randfill.Continue) {
			*q = resource.MustParse([]string{"0", "1", "-1", "1Mi"}[c.Intn(4)])
		},
		func(j *apiextensionsv1.JSON, c randfill.Continue) {
			j.Raw = []byte([]string{`{}`, `[]`, `1`}[c.Intn(3)])
		},
		func(x *metav1.Time, c randfill.Continue) { *x = metav1.Unix(int64(c.Intn(2)), 0) },
		// Validation leaves affinity entirely to the API server.
		func(*corev1.Affinity, randfill.Continue) {},
		func(*metav1.LabelSelector, randfill.Continue) {},
	)}
}

// Fill fills an object, and then replaces its texts, of any type.
func (f filler) Fill(obj any) {
	f.Filler.Fill(obj)
	f.texts(reflect.ValueOf(obj), f.dice.Intn(5) == 0)
}

// texts replaces texts; mayBeLong takes one in forty beyond any bound.
func (f filler) texts(v reflect.Value, mayBeLong bool) {
	pool := []string{"", "a", "A", "-", "a--b", "/a", "/:b", "/c/*", "1", "v1", "v2", "10s", "0s", "99.5", "0.99", "500ms", "-1", "{{pods}}", "{{", "wait", "Step", "x y", "*", "GET", "PORT", "http", "tcp", "Exact", "Manual", "gati-x", "Exists", "node", "ReplaceFullPath", "CORS", "URLRewrite", "RequestMirror", "network", "Service"}
	if mayBeLong {
		pool = append(pool, long)
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(pool[f.dice.Intn(len(pool))])
	case reflect.Pointer:
		if !v.IsNil() && v.Type() != reflect.TypeFor[*resource.Quantity]() {
			f.texts(v.Elem(), mayBeLong)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && v.Type() != reflect.TypeFor[resource.Quantity]() {
				f.texts(v.Field(i), mayBeLong)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			f.texts(v.Index(i), mayBeLong)
		}
	}
}

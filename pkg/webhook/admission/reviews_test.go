package admission_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admission/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/seeds"
	hooks "gati.dev/gati/pkg/webhook/admission"
	"gati.dev/gati/pkg/webhook/guard"
)

// chain is a hook as gati-webhook serves it: bytes in, bytes out.
func chain(t testing.TB, hook admission.Handler, refuse guard.Refusal) http.Handler {
	t.Helper()
	log.SetLogger(logr.Discard())
	return guard.New(&admission.Webhook{Handler: guard.DescribeCalls(hook)}, guard.Options{
		Name: "test", Measure: hooks.Measure, Refuse: refuse, Metrics: guard.NewMetrics(),
		Limits: guard.Limits{Memory: 64 << 20, Floor: 1 << 10, Body: 7 << 20, Waiting: 1, Patience: time.Minute},
	})
}

func mutating(t testing.TB) http.Handler {
	t.Helper()
	reader := fake.NewClientBuilder().WithScheme(scheme(t)).Build()
	return chain(t, &hooks.Mutator{Facts: knows, Live: reader}, guard.PassBusy)
}

func validating(t testing.TB) http.Handler {
	t.Helper()
	reader := fake.NewClientBuilder().WithScheme(scheme(t)).Build()
	return chain(t, &hooks.Validator{Facts: knows, Live: reader}, guard.RefuseReview)
}

// answer decodes a response as the API server does.
func answer(t testing.TB, h http.Handler, body []byte) *admissionv1.AdmissionResponse {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/?timeout=5s", strings.NewReader(string(body)))
	request.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, request)
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(w.Body.Bytes(), &review); err != nil || review.Response == nil || w.Code != http.StatusOK {
		t.Fatalf("answered %d, %v: %.300s", w.Code, err, w.Body)
	}
	return review.Response
}

// reviewOf is the review of a create, or of an update of an old object.
func reviewOf(t testing.TB, obj, old client.Object) []byte {
	t.Helper()
	req := request(t, obj, old)
	req.UID = "u-1"
	review := admissionv1.AdmissionReview{Request: &req.AdmissionRequest}
	review.SetGroupVersionKind(admissionv1.SchemeGroupVersion.WithKind("AdmissionReview"))
	text, err := json.Marshal(review)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The API server sends no such review; other clients of the port may.
// The validator says what is wrong and where. The mutator says the same where a review has
// too much in it, and lets pass whatever else it cannot read.
func TestOddReviews(t *testing.T) {
	const head = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u-1","operation":"CREATE","kind":{"group":"gati.dev","version":"v1","kind":"GatiHandler"},"object":`
	handler := func(spec string) string { return head + `{"metadata":{"name":"a"},"spec":` + spec + `}}}` }
	deep := func(levels int) string { return strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels) }
	tests := map[string]struct {
		body     string
		wantCode int32
		want     string // in the validator's message; empty is admitted
	}{
		"nothing":                           {"{}", http.StatusBadRequest, `kind "" is none of gati.dev`},
		"no JSON":                           {"{", http.StatusBadRequest, "is no JSON: it ends where a key should be"},
		"no review":                         {`{"apiVersion":"v1","kind":"Pod"}`, http.StatusBadRequest, ""},
		"JSON that is too deep to be read":  {head + deep(20_000) + "}}", http.StatusBadRequest, "is nested more than 10000 deep"},
		"1,000 levels in a schema":          {handler(`{"path":"/a","schema":{"input":` + deep(1000) + `}}`), http.StatusUnprocessableEntity, "spec.schema.input: Invalid value: is nested 1000 levels deep; a schema must have at most 64"},
		"1,000 levels where a text belongs": {handler(`{"path":` + deep(1000) + `}`), http.StatusBadRequest, "cannot unmarshal object into Go struct field GatiHandlerSpec.spec.path of type string"},
		"1,000 levels in an unknown field":  {handler(`{"path":"/a","unknown":` + deep(1000) + `}`), http.StatusOK, ""},
		"1e400 for an integer":              {handler(`{"path":"/a","port":1e400}`), http.StatusBadRequest, "cannot unmarshal number 1e400 into Go struct field GatiHandlerSpec.spec.port of type int32"},
		"1e400 in a schema":                 {handler(`{"path":"/a","schema":{"input":{"minimum":1e400}}}`), http.StatusUnprocessableEntity, "spec.schema.input.minimum: Invalid value: is 1e400"},
		"text that is not UTF-8":            {handler("{\"path\":\"/\xff\"}"), http.StatusUnprocessableEntity, "spec.path"},
		"a name that is not UTF-8":          {strings.Replace(handler(`{"path":"/a"}`), `"name":"a"`, "\"name\":\"\xff\"", 1), http.StatusUnprocessableEntity, "metadata.name"},
		"a field twice: the last one holds": {handler(`{"path":"a","path":"/a"}`), http.StatusOK, ""},
		"a field twice: nor the first":      {handler(`{"path":"/a","path":"a"}`), http.StatusUnprocessableEntity, "spec.path"},
		"a field in capitals is another":    {handler(`{"path":"/a","Path":"a"}`), http.StatusOK, ""},
		"an object that is none":            {head + `7}}`, http.StatusBadRequest, "decode GatiHandler: json: cannot unmarshal number"},
		"no object":                         {head + `null}}`, http.StatusBadRequest, "decode GatiHandler: unexpected end of JSON input"},
		"a kind of others":                  {strings.Replace(handler(`{}`), `"kind":"GatiHandler"`, `"kind":"Pod"`, 1), http.StatusBadRequest, `kind "Pod" is none of gati.dev`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := answer(t, validating(t), []byte(tc.body))
			if got.Allowed != (tc.wantCode == http.StatusOK) || got.Result.Code != tc.wantCode || !strings.Contains(got.Result.Message, tc.want) {
				t.Errorf("validator: allowed %v, %d %.300s; want %d %q", got.Allowed, got.Result.Code, got.Result.Message, tc.wantCode, tc.want)
			}
			mutated := answer(t, mutating(t), []byte(tc.body))
			if got.UID == "u-1" && !mutated.Allowed && mutated.Result.Message != got.Result.Message {
				t.Errorf("the mutator refuses: %d %.300s", mutated.Result.Code, mutated.Result.Message)
			}
		})
	}
}

// reviews are what the fuzz targets start from.
func reviews(t testing.TB) [][]byte {
	t.Helper()
	var out [][]byte
	for _, o := range seeds.Objects(t, "../../..") {
		out = append(out, fmt.Appendf(nil, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"CREATE","kind":{"group":"gati.dev","version":"v1","kind":%q},"object":%s}}`, o.Kind, o.JSON))
	}
	for _, obj := range []client.Object{
		builders.MakeHandler("a").Path("/a/:b").Image("i:v1").Env("A", "1").Autoscale(2, 5).Modules("m").Obj(),
		builders.MakeModule("m").Runtime("node:20").Image("m:v1").Env("A", "1").Obj(),
		builders.MakeVersion("r").Handler("a").Version("v1").Obj(),
	} {
		out = append(out, reviewOf(t, obj, nil), reviewOf(t, obj, obj))
	}
	for _, object := range []string{
		`{"metadata":null,"spec":null}`, `{"spec":{"schema":{"input":{"minimum":1e400}}}}`, "{\"spec\":{\"path\":\"/\xff\"}}", `[]`,
		`{"metadata":{"annotations":{"gati.dev/plan":"x"},"deletionTimestamp":"2026-01-01T00:00:00Z"},"spec":{"pod":{"volumes":[{}]},"route":{"filters":[{}]}}}`,
	} {
		out = append(out, fmt.Appendf(nil, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","kind":{"kind":"GatiHandler"},"object":%s,"oldObject":{}}}`, object))
	}
	return append(out, []byte(`{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","request":{"kind":{"kind":"GatiVersion"}}}`), []byte(`[]`))
}

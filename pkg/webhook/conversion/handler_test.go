package conversion

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gati.dev/gati/internal/testing/seeds"
)

// review writes a ConversionReview around objects.
func review(desired string, objects ...string) string {
	return fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u-1","desiredAPIVersion":%q,"objects":[%s]}}`,
		desired, strings.Join(objects, ","))
}

func record(version, name, spec string) string {
	return fmt.Sprintf(`{"apiVersion":"gati.dev/%s","kind":"GatiVersion","metadata":{"name":%q,"namespace":"shop"},"spec":%s}`, version, name, spec)
}

func post(t testing.TB, body string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	NewHandler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, Path, strings.NewReader(body)))
	return w
}

func decodeReview(t testing.TB, w *httptest.ResponseRecorder) *apiextensionsv1.ConversionResponse {
	t.Helper()
	var out apiextensionsv1.ConversionReview
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	if out.APIVersion != "apiextensions.k8s.io/v1" || out.Kind != "ConversionReview" || out.Request != nil || out.Response == nil {
		t.Fatalf("not an answered ConversionReview: %s", w.Body)
	}
	return out.Response
}

func TestReview(t *testing.T) {
	tests := map[string]struct {
		body        string
		wantObjects []string
		wantMessage string
	}{
		"to v1, in order": {
			body:        review("gati.dev/v1", record("v1alpha1", "b", `{"versionId":"v2"}`), record("v1alpha1", "a", `{"routingWeight":1}`)),
			wantObjects: []string{record("v1", "b", `{"version":"v2"}`), record("v1", "a", `{"traffic":1}`)},
		},
		"to v1alpha1": {
			body:        review("gati.dev/v1alpha1", record("v1", "a", `{"transformers":[]}`)),
			wantObjects: []string{record("v1alpha1", "a", `{"transformers":[]}`)},
		},
		"already there": {
			body:        review("gati.dev/v1", record("v1", "a", `{"version":"v1"}`), record("v1alpha1", "b", `{}`)),
			wantObjects: []string{record("v1", "a", `{"version":"v1"}`), record("v1", "b", `{}`)},
		},
		"fields alone, as server-side apply prunes them": {
			body:        review("gati.dev/v1", `{"apiVersion":"gati.dev/v1alpha1","kind":"GatiVersion","spec":{"routingWeight":1}}`),
			wantObjects: []string{`{"apiVersion":"gati.dev/v1","kind":"GatiVersion","metadata":{},"spec":{"traffic":1}}`},
		},
		"no objects": {
			body:        review("gati.dev/v1"),
			wantObjects: []string{},
		},
		"one of two fails": {
			body:        review("gati.dev/v1", record("v1alpha1", "a", `{}`), record("v1alpha1", "b", `{"transformers":7}`)),
			wantMessage: "object 1: GatiVersion shop/b: spec.transformers: want a list, got a number",
		},
		"unknown version": {
			body:        review("gati.dev/v2", record("v1", "a", `{}`)),
			wantMessage: `desiredAPIVersion: nothing can be converted to "gati.dev/v2", only to gati.dev/v1 and gati.dev/v1alpha1`,
		},
		"unknown kind": {
			body:        review("gati.dev/v1", `{"apiVersion":"gati.dev/v1alpha1","kind":"Other","metadata":{"generateName":"x-"}}`),
			wantMessage: `object 0: Other x-…: kind: "Other" is not a kind of gati.dev that can be converted`,
		},
		"not an object": {
			body:        review("gati.dev/v1", `[]`),
			wantMessage: "object 0: decode: json: cannot unmarshal array into Go value of type map[string]interface {}",
		},
		"null": {
			body:        review("gati.dev/v1", `null`),
			wantMessage: "object 0: decode: unexpected end of JSON input",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := post(t, tc.body)
			if w.Code != http.StatusOK {
				t.Fatalf("status: want 200, got %d: %s", w.Code, w.Body)
			}
			got := decodeReview(t, w)
			if got.UID != "u-1" {
				t.Errorf("uid: want u-1, got %q", got.UID)
			}
			wantStatus := metav1.StatusSuccess
			if tc.wantMessage != "" {
				wantStatus = metav1.StatusFailure
			}
			if diff := cmp.Diff([]string{wantStatus, tc.wantMessage}, []string{got.Result.Status, got.Result.Message}); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
			if len(got.ConvertedObjects) != len(tc.wantObjects) {
				t.Fatalf("want %d objects, got %d", len(tc.wantObjects), len(got.ConvertedObjects))
			}
			for i, want := range tc.wantObjects {
				if diff := cmp.Diff(plain(t, want), plain(t, string(got.ConvertedObjects[i].Raw))); diff != "" {
					t.Errorf("object %d (-want +got):\n%s", i, diff)
				}
			}
		})
	}
}

func TestNoReview(t *testing.T) {
	tests := map[string]struct {
		method, body string
		want         int
	}{
		"get":               {http.MethodGet, "", http.StatusMethodNotAllowed},
		"no JSON":           {http.MethodPost, "{", http.StatusBadRequest},
		"empty":             {http.MethodPost, "", http.StatusBadRequest},
		"another kind":      {http.MethodPost, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{}}`, http.StatusBadRequest},
		"an older version":  {http.MethodPost, `{"apiVersion":"apiextensions.k8s.io/v1beta1","kind":"ConversionReview","request":{}}`, http.StatusBadRequest},
		"without a request": {http.MethodPost, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview"}`, http.StatusBadRequest},
		"too large":         {http.MethodPost, review("gati.dev/v1", record("v1alpha1", strings.Repeat("a", MaxBytes), `{}`)), http.StatusRequestEntityTooLarge},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			NewHandler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), tc.method, Path, strings.NewReader(tc.body)))
			if w.Code != tc.want {
				t.Errorf("status: want %d, got %d: %s", tc.want, w.Code, w.Body)
			}
			if strings.TrimSpace(w.Body.String()) == "" {
				t.Error("want a sentence in the body")
			}
		})
	}
}

// TestPanic checks that a fault in a conversion fails its review, not the server.
func TestPanic(t *testing.T) {
	raw := []byte(record("v1alpha1", "a", `{}`))
	_, err := convertObject(raw, "gati.dev/v1", func(map[string]any) (map[string]any, error) { panic("boom") })
	if err == nil || !strings.Contains(err.Error(), "GatiVersion shop/a") || !strings.Contains(err.Error(), "boom") {
		t.Errorf("want an error that names the object and the fault, got %v", err)
	}
}

// FuzzHandler sends any body. There is always an answer, and a review's
// answer has its uid and either all of its objects or a message.
func FuzzHandler(f *testing.F) {
	f.Add(review("gati.dev/v1", record("v1alpha1", "a", `{"transformers":["a"]}`)))
	f.Add(review("gati.dev/v1alpha1", record("v1", "a", `{"schema":{"input":{}}}`), `{"kind":"GatiHandler","apiVersion":"gati.dev/v1","spec":{"env":[null]}}`))
	f.Add(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"objects":[{}]}}`)
	f.Add(`[]`)
	for _, o := range seeds.Objects(f, "../../..") {
		f.Add(review("gati.dev/v1", string(o.JSON)))
		f.Add(review("gati.dev/v1alpha1", string(o.JSON)))
	}
	f.Fuzz(func(t *testing.T, body string) {
		w := post(t, body)
		if w.Code != http.StatusOK {
			return
		}
		var asked apiextensionsv1.ConversionReview
		if err := json.Unmarshal([]byte(body), &asked); err != nil {
			t.Fatalf("status 200 for what is no review: %v", err)
		}
		got := decodeReview(t, w)
		if got.UID != asked.Request.UID {
			t.Fatalf("uid: want %q, got %q", asked.Request.UID, got.UID)
		}
		if ok := got.Result.Status == metav1.StatusSuccess; ok && len(got.ConvertedObjects) != len(asked.Request.Objects) || !ok && got.Result.Message == "" {
			t.Fatalf("neither all objects nor a message: %s", w.Body)
		}
	})
}

func plain(t testing.TB, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

package guard

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

func TestRefusals(t *testing.T) {
	review := `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"abc","kind":{"group":"gati.dev"}` // the rest need not come
	tests := map[string]struct {
		refuse  Refusal
		body    string
		status  int
		allowed bool
		code    int32
	}{
		"a validation is refused for now":      {RefuseReview, review, 200, false, 429},
		"a mutation passes as it is":           {PassBusy, review, 200, true, 0},
		"a conversion is to ask again":         {RefuseCall, review, 429, false, 0},
		"no review":                            {RefuseReview, "hello", 429, false, 0},
		"a review without a uid":               {RefuseReview, `{"request":{"kind":"x","uid":7}}`, 429, false, 0},
		"a uid that is none":                   {PassBusy, `{"request":{"uid":{}}}`, 429, false, 0},
		"no body":                              {RefuseReview, "", 429, false, 0},
		"a uid elsewhere is not the request's": {RefuseReview, `{"metadata":{"uid":"x"},"request":{"name":"y"}}`, 429, false, 0},
		"an empty request":                     {RefuseReview, `{"request":{}}`, 429, false, 0},
		"a uid that is long":                   {RefuseReview, `{"request":{"uid":"` + strings.Repeat("x", 100) + `"}}`, 429, false, 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			tc.refuse(w, []byte(tc.body), apierrors.NewTooManyRequests(busyMessage, retrySeconds).Status())
			if w.Code != tc.status {
				t.Fatalf("status %d, want %d: %s", w.Code, tc.status, w.Body)
			}
			if tc.status == http.StatusTooManyRequests {
				if w.Header().Get("Retry-After") != "1" {
					t.Errorf("Retry-After is %q: no client would retry", w.Header().Get("Retry-After"))
				}
				return
			}
			checkReview(t, w.Body.Bytes(), tc.allowed, tc.code)
		})
	}
}

func checkReview(t *testing.T, body []byte, allowed bool, code int32) {
	t.Helper()
	var got admissionv1.AdmissionReview
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	if got.Kind != "AdmissionReview" || got.APIVersion != "admission.k8s.io/v1" || got.Response == nil || got.Response.UID != "abc" {
		t.Fatalf("not the answer to this review: %s", body)
	}
	if got.Response.Allowed != allowed || got.Response.AuditAnnotations["verdict"] != "busy" {
		t.Errorf("got %s", body)
	}
	if !allowed && (got.Response.Result.Code != code || got.Response.Result.Details.RetryAfterSeconds != 1) {
		t.Errorf("no client would try again on %s", body)
	}
}

package admission_test

import (
	"encoding/json"
	"net/http"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	kjson "sigs.k8s.io/json"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
)

// FuzzValidate sends the validating hook any bytes, as any client of the port may. There is an answer, it is to the request that was asked, and none is a
// fault of ours.
func FuzzValidate(f *testing.F) {
	for _, text := range reviews(f) {
		f.Add(text)
	}
	hook := validating(f)
	f.Fuzz(func(t *testing.T, body []byte) { sound(t, hook, body) })
}

// FuzzMutate holds for the mutating hook besides that it refuses nothing but what the API
// server would take long to refuse, that its patch applies, and that a second pass is empty.
func FuzzMutate(f *testing.F) {
	for _, text := range reviews(f) {
		f.Add(text)
	}
	hook := mutating(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		got := sound(t, hook, body)
		asked := requestIn(body)
		if asked == nil || got.Result.Code == http.StatusBadRequest {
			return
		}
		isCostly := len(admit.FindCostly(v1.GroupVersion.WithKind(asked.Kind.Kind), asked.Object.Raw, asked.OldObject.Raw)) > 0
		if got.Allowed == isCostly {
			t.Fatalf("allowed %v: %d %s", got.Allowed, got.Result.Code, got.Result.Message)
		}
		if len(got.Patch) == 0 {
			return
		}
		asked.Object.Raw = patched(t, asked.Object.Raw, json.RawMessage(got.Patch))
		review := admissionv1.AdmissionReview{Request: asked}
		review.SetGroupVersionKind(admissionv1.SchemeGroupVersion.WithKind("AdmissionReview"))
		again, err := json.Marshal(review)
		if err != nil {
			t.Fatal(err)
		}
		if second := sound(t, hook, again); len(second.Patch) > 0 {
			t.Fatalf("a second pass patches %s after %s", second.Patch, got.Patch)
		}
	})
}

// sound returns the answer to any bytes, after what holds of each.
func sound(t *testing.T, hook http.Handler, body []byte) *admissionv1.AdmissionResponse {
	t.Helper()
	got := answer(t, hook, body)
	if got.Result == nil || got.Result.Code >= http.StatusInternalServerError {
		t.Fatalf("a fault of ours: %+v", got.Result)
	}
	if !got.Allowed && got.Result.Message == "" && got.Result.Reason == "" {
		t.Fatal("a refusal without a word")
	}
	// What cannot be decoded is answered without a uid.
	if asked := requestIn(body); asked != nil && got.UID != asked.UID && got.Result.Code != http.StatusBadRequest {
		t.Fatalf("the answer is to %q, asked was %q", got.UID, asked.UID)
	}
	return got
}

// requestIn is the request in a review, nil if there is none.
func requestIn(body []byte) *admissionv1.AdmissionRequest {
	var review admissionv1.AdmissionReview
	if kjson.UnmarshalCaseSensitivePreserveInts(body, &review) != nil {
		return nil
	}
	return review.Request
}

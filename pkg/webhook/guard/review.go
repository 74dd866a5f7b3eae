package guard

import (
	"encoding/json"
	"net/http"
	"strconv"

	admissionv1 "k8s.io/api/admission/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"gati.dev/gati/pkg/admit/bounds"
)

// busyMessage is the message of a call for which there is no room.
const busyMessage = "gati-webhook is at its limit of concurrent requests; try again"

// Refusal answers a review that is not given to its hook.
type Refusal func(w http.ResponseWriter, review []byte, why metav1.Status)

// RefuseReview refuses a validation in the review. The API server passes the status on to
// its client with Retry-After, and clients of client-go, kubectl among them, retry by
// themselves. An HTTP status 429 would make the API server keep the request and finally
// report an internal error.
func RefuseReview(w http.ResponseWriter, review []byte, why metav1.Status) {
	answerReview(w, review, why, &admissionv1.AdmissionResponse{Result: &why})
}

// PassBusy answers a mutation for which there is no room without a patch: the hook's
// additions are advisory. Any other is refused like a validation, before the API server
// checks it by its own schema, which takes long.
func PassBusy(w http.ResponseWriter, review []byte, why metav1.Status) {
	if why.Code != http.StatusTooManyRequests {
		RefuseReview(w, review, why)
		return
	}
	answerReview(w, review, why, &admissionv1.AdmissionResponse{Allowed: true})
}

// RefuseConversion refuses a conversion in the review, whose message the API server passes on.
// One for which there is no room is refused as a call, which the API server repeats, as is
// what is no review.
func RefuseConversion(w http.ResponseWriter, review []byte, why metav1.Status) {
	uid := findUID(review)
	if uid == "" || why.Code == http.StatusTooManyRequests {
		RefuseCall(w, review, why)
		return
	}
	answer := apiextensionsv1.ConversionReview{Response: &apiextensionsv1.ConversionResponse{UID: uid, Result: why}}
	answer.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("ConversionReview"))
	writeAnswer(w, answer)
}

// RefuseCall answers with an HTTP status. After a 429 the API server calls again, up to
// ten times within its own deadline.
func RefuseCall(w http.ResponseWriter, _ []byte, why metav1.Status) {
	if why.Details != nil && why.Details.RetryAfterSeconds > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(why.Details.RetryAfterSeconds)))
	}
	http.Error(w, why.Message, int(why.Code))
}

// answerReview answers a review of which only the uid is read.
func answerReview(w http.ResponseWriter, text []byte, why metav1.Status, response *admissionv1.AdmissionResponse) {
	response.UID = findUID(text)
	response.AuditAnnotations = map[string]string{"verdict": verdictRefused}
	if why.Code == http.StatusTooManyRequests {
		if response.AuditAnnotations["verdict"] = verdictBusy; response.UID == "" {
			RefuseCall(w, text, why)
			return
		}
	}
	review := admissionv1.AdmissionReview{Response: response}
	review.SetGroupVersionKind(admissionv1.SchemeGroupVersion.WithKind("AdmissionReview"))
	writeAnswer(w, review)
}

func writeAnswer(w http.ResponseWriter, review any) {
	w.Header().Set("Content-Type", "application/json")
	// A failed write means that the API server has closed the connection.
	_ = json.NewEncoder(w).Encode(review)
}

// maxUID bounds the repeated uid of a review.
const maxUID = 64

// findUID returns the uid of a review's request, empty where it has none.
func findUID(review []byte) (uid types.UID) {
	text := bounds.Find(review, "request", "uid")
	if len(text) > maxUID || json.Unmarshal(text, &uid) != nil {
		return ""
	}
	return uid
}

package guard

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// retrySeconds is the Retry-After of a refused call.
const retrySeconds = 1

// busyMessage is the message of a refused call.
const busyMessage = "gati-webhook is at its limit of concurrent requests; try again"

// RefuseBusy answers a validation with a refusal of status 429. The API server
// passes it on to its client with Retry-After, and clients of client-go, kubectl
// among them, retry by themselves. An HTTP status 429 would make the API server
// keep the request and finally report an internal error.
func RefuseBusy(w http.ResponseWriter, r *http.Request) {
	writeReview(w, r, &admissionv1.AdmissionResponse{
		Result: &metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusTooManyRequests, Reason: metav1.StatusReasonTooManyRequests,
			Message: busyMessage, Details: &metav1.StatusDetails{RetryAfterSeconds: retrySeconds},
		},
		AuditAnnotations: map[string]string{"verdict": verdictBusy},
	})
}

// PassUnchanged answers a mutation without a patch: what the hook adds is advisory.
func PassUnchanged(w http.ResponseWriter, r *http.Request) {
	writeReview(w, r, &admissionv1.AdmissionResponse{
		Allowed: true, AuditAnnotations: map[string]string{"verdict": verdictBusy},
	})
}

// RetryLater answers with the HTTP status 429. The API server calls again after
// Retry-After, up to ten times within its own deadline. Conversion has no better
// way: the API server reports any failure of a review as an internal error.
func RetryLater(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", strconv.Itoa(retrySeconds))
	http.Error(w, busyMessage, http.StatusTooManyRequests)
}

// writeReview answers a review after reading only its uid.
func writeReview(w http.ResponseWriter, r *http.Request, response *admissionv1.AdmissionResponse) {
	uid, err := requestUID(io.LimitReader(r.Body, 4<<10))
	if err != nil {
		RetryLater(w, r)
		return
	}
	response.UID = uid
	review := admissionv1.AdmissionReview{Response: response}
	review.SetGroupVersionKind(admissionv1.SchemeGroupVersion.WithKind("AdmissionReview"))
	w.Header().Set("Content-Type", "application/json")
	// A failed write means that the API server has closed the connection.
	_ = json.NewEncoder(w).Encode(review)
}

var errNoUID = errors.New("the review does not begin with the uid of its request")

// requestUID reads a review up to the uid of its request, which the API server
// writes first.
func requestUID(body io.Reader) (types.UID, error) {
	decoder := json.NewDecoder(body)
	for depth, inRequest := 0, false; ; {
		token, err := decoder.Token()
		if err != nil {
			return "", err
		}
		switch {
		case token == json.Delim('{'):
			depth++
		case token == json.Delim('}'):
			depth--
		case depth == 1 && token == "request":
			inRequest = true
		case inRequest && depth == 2:
			if token != "uid" {
				return "", errNoUID
			}
			value, err := decoder.Token()
			uid, ok := value.(string)
			if err != nil || !ok || uid == "" {
				return "", errNoUID
			}
			return types.UID(uid), nil
		}
	}
}

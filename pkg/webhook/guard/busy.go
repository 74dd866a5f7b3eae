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

// retrySeconds is when to come back.
const retrySeconds = 1

// busy is what a caller is told.
const busy = "gati-webhook has more to do than it can at the moment; try again"

// RefuseForNow answers a validation with a refusal of status 429. The API server
// passes it on to its own client together with the time to wait, and clients made
// with client-go, kubectl among them, then try again by themselves. Were the HTTP
// status 429, the API server would keep the request and in the end report an
// internal error.
func RefuseForNow(w http.ResponseWriter, r *http.Request) {
	answerReview(w, r, &admissionv1.AdmissionResponse{
		Result: &metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusTooManyRequests, Reason: metav1.StatusReasonTooManyRequests,
			Message: busy, Details: &metav1.StatusDetails{RetryAfterSeconds: retrySeconds},
		},
		AuditAnnotations: map[string]string{"verdict": verdictBusy},
	})
}

// PassUnchanged answers a mutation by leaving the object as it is: what the hook
// adds is advisory.
func PassUnchanged(w http.ResponseWriter, r *http.Request) {
	answerReview(w, r, &admissionv1.AdmissionResponse{
		Allowed: true, AuditAnnotations: map[string]string{"verdict": verdictBusy},
	})
}

// AskAgain answers with the HTTP status 429. The API server calls once more after
// the time that is named, up to ten times within its own deadline. A conversion
// has no better way: the API server makes an internal error of any failure that
// is told in a review.
func AskAgain(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", strconv.Itoa(retrySeconds))
	http.Error(w, busy, http.StatusTooManyRequests)
}

// answerReview answers a review of which no more is read than its uid.
func answerReview(w http.ResponseWriter, r *http.Request, response *admissionv1.AdmissionResponse) {
	uid, err := requestUID(io.LimitReader(r.Body, 4<<10))
	if err != nil {
		AskAgain(w, r)
		return
	}
	response.UID = uid
	review := admissionv1.AdmissionReview{Response: response}
	review.SetGroupVersionKind(admissionv1.SchemeGroupVersion.WithKind("AdmissionReview"))
	w.Header().Set("Content-Type", "application/json")
	// The API server has gone if this fails.
	_ = json.NewEncoder(w).Encode(review)
}

var errNoUID = errors.New("the review does not begin with the uid of its request")

// requestUID reads a review as far as the uid of its request, which the API
// server writes first of all.
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

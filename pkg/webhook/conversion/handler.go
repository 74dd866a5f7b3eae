package conversion

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Path is the path of the handler in the CRDs.
const Path = "/convert"

// MaxBytes is the largest review that is read. The API server converts objects one
// by one as it reads them from etcd, and a list only where it holds one in another
// version; the largest object of a request is 3 MiB. Twenty MiB leave room for a
// page of 500 handlers of 40 KiB and bound the memory that a client can claim.
const MaxBytes = 20 << 20

// NewHandler returns the handler that converts the objects of a ConversionReview of
// apiextensions.k8s.io/v1. It answers with status 200 for every outcome, which is
// in the review. Other statuses mean that there was no review to answer.
func NewHandler() http.Handler { return http.HandlerFunc(serveReview) }

func serveReview(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "send a ConversionReview by POST", http.StatusMethodNotAllowed)
		return
	}
	review, status, err := readReview(w, r)
	if err != nil {
		http.Error(w, err.Error(), status)
		return
	}
	review.Response = convertObjects(r.Context(), review.Request)
	review.Request = nil
	body, err := json.Marshal(review)
	if err != nil {
		http.Error(w, fmt.Sprintf("encode the ConversionReview: %v", err), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	// A failed write means that the API server has closed the connection; it retries.
	_, _ = w.Write(body)
}

// readReview decodes the review, or returns the status with which to refuse it.
func readReview(w http.ResponseWriter, r *http.Request) (*apiextensionsv1.ConversionReview, int, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBytes))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, http.StatusRequestEntityTooLarge, fmt.Errorf("the ConversionReview is larger than %d bytes; ask for fewer objects at once", tooLarge.Limit)
	}
	if err != nil {
		return nil, http.StatusBadRequest, fmt.Errorf("read the ConversionReview: %w", err)
	}
	review := &apiextensionsv1.ConversionReview{}
	if err := json.Unmarshal(body, review); err != nil {
		return nil, http.StatusBadRequest, fmt.Errorf("decode the ConversionReview: %w", err)
	}
	if want := apiextensionsv1.SchemeGroupVersion.String(); review.APIVersion != want || review.Kind != "ConversionReview" {
		return nil, http.StatusBadRequest, fmt.Errorf("want a ConversionReview of %s, got a %q of %q", want, review.Kind, review.APIVersion)
	}
	if review.Request == nil {
		return nil, http.StatusBadRequest, errors.New("the ConversionReview has no request")
	}
	return review, http.StatusOK, nil
}

// newSuccess returns the response to a request whose objects were all converted.
func newSuccess(uid types.UID) *apiextensionsv1.ConversionResponse {
	return &apiextensionsv1.ConversionResponse{UID: uid, Result: metav1.Status{Status: metav1.StatusSuccess}}
}

// newFailure returns the response to a request that failed as a whole: the API
// server accepts all objects or none.
func newFailure(uid types.UID, err error) *apiextensionsv1.ConversionResponse {
	return &apiextensionsv1.ConversionResponse{UID: uid, Result: metav1.Status{
		Status:  metav1.StatusFailure,
		Message: err.Error(),
		Reason:  metav1.StatusReasonInvalid,
		Code:    http.StatusUnprocessableEntity,
	}}
}

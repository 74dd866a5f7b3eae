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

// Path is where the CRDs say that the handler serves.
const Path = "/convert"

// MaxBytes is the largest review that is read. The API server converts objects
// one by one as it reads them from etcd, and a list only where it holds one in
// another version; the largest object that it takes in a request is 3 MiB. Twenty
// MiB leave room for a page of 500 handlers of 40 KiB, and keep a stranger in the
// cluster from filling the memory.
const MaxBytes = 20 << 20

// NewHandler returns the handler that converts the objects of a ConversionReview
// of apiextensions.k8s.io/v1. It answers with status 200 whatever the review's
// outcome, which is in the review; other statuses mean that there was no review
// to answer.
func NewHandler() http.Handler { return http.HandlerFunc(serve) }

func serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "a ConversionReview comes by POST", http.StatusMethodNotAllowed)
		return
	}
	review, status, err := read(w, r)
	if err != nil {
		http.Error(w, err.Error(), status)
		return
	}
	review.Response = respond(r.Context(), review.Request)
	review.Request = nil
	body, err := json.Marshal(review)
	if err != nil {
		http.Error(w, fmt.Sprintf("encode the ConversionReview: %v", err), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	// The API server has gone if this fails; it will ask again.
	_, _ = w.Write(body)
}

// read decodes the review, or says with which status to refuse it.
func read(w http.ResponseWriter, r *http.Request) (*apiextensionsv1.ConversionReview, int, error) {
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

// success is the response to a request all of whose objects were converted.
func success(uid types.UID) *apiextensionsv1.ConversionResponse {
	return &apiextensionsv1.ConversionResponse{UID: uid, Result: metav1.Status{Status: metav1.StatusSuccess}}
}

// failure is the response to a request that could not be met: the API server
// takes all objects or none.
func failure(uid types.UID, err error) *apiextensionsv1.ConversionResponse {
	return &apiextensionsv1.ConversionResponse{UID: uid, Result: metav1.Status{
		Status:  metav1.StatusFailure,
		Message: err.Error(),
		Reason:  metav1.StatusReasonInvalid,
		Code:    http.StatusUnprocessableEntity,
	}}
}

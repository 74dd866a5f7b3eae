package conversion

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
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
	answer, converted := convertObjects(r.Context(), review.Request)
	w.Header().Set("Content-Type", "application/json")
	// A failed write means that the API server has closed the connection; it retries.
	_ = writeReview(w, answer, converted)
}

// sharedReview is a ConversionReview whose objects are part of the text that it was decoded from:
// a copy of them all would be one of megabytes.
type sharedReview struct {
	metav1.TypeMeta `json:",inline"`
	Request         *sharedRequest `json:"request"`
}

type sharedRequest struct {
	UID               types.UID `json:"uid"`
	DesiredAPIVersion string    `json:"desiredAPIVersion"`
	Objects           []part    `json:"objects"`
}

type part []byte

// UnmarshalJSON keeps the text without a copy: json.Unmarshal does not change it any more.
func (p *part) UnmarshalJSON(text []byte) error {
	if !bytes.Equal(text, []byte("null")) {
		*p = text
	}
	return nil
}

// readReview decodes the review, or returns the status with which to refuse it.
func readReview(w http.ResponseWriter, r *http.Request) (*sharedReview, int, error) {
	body, status, err := readBody(w, r)
	if err != nil {
		return nil, status, err
	}
	out := &sharedReview{}
	if err := json.Unmarshal(body, out); err != nil {
		return nil, http.StatusBadRequest, fmt.Errorf("decode the ConversionReview: %w", err)
	}
	if want := apiextensionsv1.SchemeGroupVersion.String(); out.APIVersion != want || out.Kind != "ConversionReview" {
		return nil, http.StatusBadRequest, fmt.Errorf("want a ConversionReview of %s, got a %q of %q", want, out.Kind, out.APIVersion)
	}
	if out.Request == nil {
		return nil, http.StatusBadRequest, errors.New("the ConversionReview has no request")
	}
	return out, http.StatusOK, nil
}

// readBody reads a body, unless the guard in front has read it.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, int, error) {
	if whole, ok := r.Body.(interface{ Bytes() []byte }); ok {
		return whole.Bytes(), 0, nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBytes))
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, http.StatusRequestEntityTooLarge, fmt.Errorf("the ConversionReview is larger than %d bytes; ask for fewer objects at once", tooLarge.Limit)
	}
	if err != nil {
		return nil, http.StatusBadRequest, fmt.Errorf("read the ConversionReview: %w", err)
	}
	return body, 0, nil
}

// writeReview writes a review with its converted objects one by one.
func writeReview(w io.Writer, answer *apiextensionsv1.ConversionResponse, converted [][]byte) error {
	out := apiextensionsv1.ConversionReview{Response: answer}
	out.APIVersion, out.Kind = apiextensionsv1.SchemeGroupVersion.String(), "ConversionReview"
	frame, err := json.Marshal(out)
	if err != nil {
		return fmt.Errorf("encode the ConversionReview: %w", err)
	}
	before, after, found := bytes.Cut(frame, []byte(`"convertedObjects":null`))
	if converted == nil || !found {
		_, err = w.Write(frame)
		return err
	}
	text := net.Buffers{before, []byte(`"convertedObjects":[`)}
	for i, object := range converted {
		if i > 0 {
			text = append(text, []byte(","))
		}
		text = append(text, object)
	}
	text = append(text, []byte("]"), after)
	_, err = text.WriteTo(w)
	return err
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

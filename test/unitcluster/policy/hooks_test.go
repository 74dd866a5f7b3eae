package policy

import (
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"

	"gati.dev/gati/pkg/webhook/conversion"
)

// hookServer stands where gati-webhook would.
type hookServer struct {
	*httptest.Server
	stopped atomic.Bool
}

func startHooks() *hookServer {
	h := &hookServer{}
	mux := http.NewServeMux()
	mux.Handle(conversion.Path, conversion.NewHandler())
	mux.HandleFunc("/", admitReview)
	h.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.stopped.Load() {
			panic(http.ErrAbortHandler) // closes the connection, as a dead process does
		}
		mux.ServeHTTP(w, r)
	}))
	h.Config.ErrorLog = log.New(io.Discard, "", 0)
	h.StartTLS()
	return h
}

// caBundle is the certificate to trust, as PEM.
func (h *hookServer) caBundle() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.Certificate().Raw})
}

// stopAnswering makes every call fail until the end of the test.
func (h *hookServer) stopAnswering(t *testing.T) {
	h.stopped.Store(true)
	t.Cleanup(func() { h.stopped.Store(false) })
}

func admitReview(w http.ResponseWriter, r *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
	review.Request = nil
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(review)
}

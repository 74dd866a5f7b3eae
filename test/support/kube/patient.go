package kube

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// MostTries is how often something for which a webhook has no time is tried before its last
// answer counts.
const MostTries = 12

// PatientClient is Client for a machine that may be busy: a write for which a webhook had
// no time is sent again. That a webhook had no time is no refusal, and nothing of the
// write is stored. A webhook that cannot be reached is told at once.
func PatientClient(config *rest.Config) (client.WithWatch, error) {
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return patient{next} })
	return Client(config)
}

type patient struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (p patient) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Body == nil {
		return p.next.RoundTrip(request)
	}
	sent, err := io.ReadAll(request.Body)
	_ = request.Body.Close()
	if err != nil {
		return nil, err
	}
	for range MostTries - 1 {
		response, err := p.next.RoundTrip(withBody(request, sent))
		if err != nil || response.StatusCode != http.StatusInternalServerError {
			return response, err
		}
		answer, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil {
			return nil, err
		}
		if !IsOutOfTime(string(answer)) {
			response.Body = io.NopCloser(bytes.NewReader(answer))
			return response, nil
		}
	}
	return p.next.RoundTrip(withBody(request, sent))
}

func withBody(request *http.Request, body []byte) *http.Request {
	again := request.Clone(request.Context())
	again.Body = io.NopCloser(bytes.NewReader(body))
	return again
}

// IsOutOfTime reports whether an answer of the API server is about a webhook that did not
// answer in time. The write was refused, so nothing of it is stored.
func IsOutOfTime(answer string) bool {
	return strings.Contains(answer, "failed calling webhook") && strings.Contains(answer, "context deadline exceeded")
}

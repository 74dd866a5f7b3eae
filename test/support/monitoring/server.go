// Package monitoring runs a Prometheus that reads Gati and its handlers as
// docs/observability.md says, and checks that every query of manifests/monitoring finds
// data there. It must not know how a cluster was made, and what its handlers are.
package monitoring

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"testing"
)

// Server is the address of a running Prometheus.
type Server string

// Series is one of the answers to a query.
type Series struct {
	Metric map[string]string
	Value  [2]any
}

// Query returns the series that an expression leads to now.
func (s Server) Query(t testing.TB, expr string) ([]Series, error) {
	t.Helper()
	var answer struct {
		Error string
		Data  struct{ Result []Series }
	}
	err := s.getJSON(t, "/api/v1/query?query="+url.QueryEscape(expr), &answer)
	if err == nil && answer.Error != "" {
		err = errors.New(answer.Error)
	}
	return answer.Data.Result, err
}

func (s Server) getJSON(t testing.TB, path string, into any) error {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, string(s)+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	return json.NewDecoder(answer.Body).Decode(into)
}

package load

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// TestWhenTheLastCame holds that a report tells when the last answer of a kind was
// there: at a rate of 100 the first twenty are over long before the last.
func TestWhenTheLastCame(t *testing.T) {
	s := newServer(t, func(a arrival, w http.ResponseWriter) bool {
		if a.number > 20 {
			return false
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	})
	began := time.Now()
	report := runLoad(t, Config{Targets: []Target{{URL: s.URL}}, Rate: 100, Count: 100, Seed: 5})
	failed, last := report.LastFailure(), report.LastBy("v1.1.0")
	if failed.Before(began) || !failed.Before(last) || last.After(time.Now()) {
		t.Errorf("begun at %v, the last failure was at %v, the last success at %v", began, failed, last)
	}
	if at := report.LastBy("v9"); !at.IsZero() {
		t.Errorf("v9, which is not there, has answered at %v", at)
	}
}

func TestHeadersAreSent(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-App-Version", r.Header.Get("X-Gati-Version"))
	}))
	t.Cleanup(s.Close)
	report := runLoad(t, Config{
		Targets: []Target{{URL: s.URL, Header: map[string]string{"X-Gati-Version": "v7"}}, {URL: s.URL}}, Rate: 200, Count: 40, Seed: 5,
	})
	if report.By("v7") != 20 || report.By("") != 20 {
		t.Errorf("got %v, want 20 with the header and 20 without", report.Answers)
	}
}

package health

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"gati.dev/gati/devcluster/internal/proc"
	"gati.dev/gati/devcluster/internal/state"
)

func TestCheck(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			http.Error(w, "not so well", http.StatusInternalServerError)
		}
	}))
	defer server.Close()
	self := proc.Self()
	tests := []struct {
		name, url, path string
		process         proc.ID
		want            string
	}{
		{"well", server.URL, "/readyz", self, ""},
		{"unwell", server.URL, "/other", self, "HTTP 500: not so well"},
		{"ended", server.URL, "/readyz", proc.ID{PID: self.PID, Start: "1"}, "not running"},
		{"never started", server.URL, "/readyz", proc.ID{}, "not running"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			component := state.Component{URL: test.url, Health: test.path, Process: test.process}
			err := Check(context.Background(), server.Client(), component)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	component := state.Component{URL: "http://127.0.0.1:1", Process: self}
	if err := Check(context.Background(), server.Client(), component); err == nil || errors.Is(err, ErrNotRunning) {
		t.Errorf("without a listener: %v", err)
	}
}

package gittest

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// HTTPS serves a bare repository to one user.
type HTTPS struct {
	*httptest.Server
	Username, Password string
	// Backend is git's own answer to a request.
	Backend   http.Handler
	intercept atomic.Pointer[func(http.ResponseWriter, *http.Request) bool]
}

// ServeHTTPS serves a bare repository by git's own http-backend, until the test ends.
func ServeHTTPS(t *testing.T, b *Bare) *HTTPS {
	t.Helper()
	s, err := StartHTTPS(b.Path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// StartHTTPS serves the bare repository of a folder until it is closed.
func StartHTTPS(folder string) (*HTTPS, error) {
	path, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		return nil, fmt.Errorf("find git: %w", err)
	}
	s := &HTTPS{Username: "gati", Password: "pass-4f1d8c-word", Backend: &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(path)), "git-http-backend"),
		Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(folder), "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=gati",
			"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null"},
	}}
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		intercept := s.intercept.Load()
		switch {
		case user != s.Username || password != s.Password:
			w.Header().Set("WWW-Authenticate", `Basic realm="plans"`) // git asks without a password first.
			http.Error(w, "who are you, "+user+" with "+password+"?", http.StatusUnauthorized)
		case intercept == nil || !(*intercept)(w, r):
			s.Backend.ServeHTTP(w, r)
		}
	}))
	return s, nil
}

// Intercept shows each authorized request to a function first, which reports whether it
// answered. nil ends that.
func (s *HTTPS) Intercept(by func(http.ResponseWriter, *http.Request) bool) {
	if by == nil {
		s.intercept.Store(nil)
		return
	}
	s.intercept.Store(&by)
}

// CloneURL returns the address of the repository.
func (s *HTTPS) CloneURL() string { return s.URL + "/plans.git" }

// CA returns the certificate of the server.
func (s *HTTPS) CA() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

// IsPush reports whether a request carries a push.
func IsPush(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/git-receive-pack")
}

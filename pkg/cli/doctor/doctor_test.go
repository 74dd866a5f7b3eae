package doctor_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/manifests/bundle"
	"gati.dev/gati/pkg/cli/exit"
)

// server answers as a cluster does on which the manifests were just applied:
// no CA is filled in. It knows no certificate, so the goldens hold none.
type server struct {
	objects map[string]any
	// empty is a cluster without Gati.
	empty bool
}

func newServer(t *testing.T) *server {
	objects, err := bundle.Objects("")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{objects: map[string]any{}}
	for _, o := range objects {
		if o.GetKind() == "CustomResourceDefinition" {
			o.Object["status"] = map[string]any{
				"storedVersions": []any{"v1"},
				"conditions":     []any{map[string]any{"type": "Established", "status": "True"}},
			}
		}
		s.objects[strings.ToLower(o.GetKind())+"/"+o.GetName()] = o
	}
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	last := parts[len(parts)-1]
	switch {
	case r.URL.Path == "/version":
		answer(w, http.StatusOK, map[string]any{"gitVersion": "v1.37.1", "major": "1", "minor": "37"})
	case r.URL.Path == "/apis":
		answer(w, http.StatusOK, map[string]any{"groups": []any{}})
	case last == "selfsubjectaccessreviews":
		answer(w, http.StatusCreated, map[string]any{"status": map[string]any{"allowed": true}})
	case r.Method == http.MethodPost:
		answer(w, http.StatusForbidden, status("Forbidden", `gatihandlers.gati.dev is forbidden: User "dev" cannot create resource "gatihandlers"`))
	default:
		kind := strings.TrimSuffix(strings.ReplaceAll(parts[len(parts)-2], "policies", "policys"), "s")
		if object, ok := s.objects[kind+"/"+last]; ok && !s.empty {
			answer(w, http.StatusOK, object)
			return
		}
		answer(w, http.StatusNotFound, status("NotFound", last+" not found"))
	}
}

func status(reason, message string) map[string]any {
	code := map[string]int{"NotFound": http.StatusNotFound, "Forbidden": http.StatusForbidden}[reason]
	return map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "message": message, "code": code, "details": map[string]any{}}
}

func answer(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body) // the client sees a body that is cut off
}

// looked is how the summary names the namespace.
const looked = "; of the handlers, those of namespace shop were checked: --all-namespaces checks all\n"

func TestGolden(t *testing.T) {
	installed, empty := newServer(t), &server{empty: true}
	cases := map[string]struct {
		on       *server
		args     []string
		wantCode int
		stderr   string
	}{
		"text":  {installed, nil, exit.Unhealthy, "9 problems, 3 unknown" + looked},
		"color": {installed, []string{"--color", "always"}, exit.Unhealthy, "9 problems, 3 unknown" + looked},
		"short": {installed, []string{"-o", "short"}, exit.Unhealthy, ""},
		"json":  {installed, []string{"-o", "json"}, exit.Unhealthy, ""},
		"pre":   {empty, []string{"--pre"}, exit.Unhealthy, "1 problem\n"},
		"none":  {empty, nil, exit.Unhealthy, "2 problems" + looked},
		"name":  {installed, []string{"-o", "name"}, exit.Usage, "error: findings have no names; the formats are short, json, yaml and their templates\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := run(t, tc.on, tc.args...)
			golden.Compare(t, name+".txt", got.Stdout)
			if got.Code != tc.wantCode || got.Stderr != tc.stderr {
				t.Errorf("exit code %d, want %d; stderr %q, want %q", got.Code, tc.wantCode, got.Stderr, tc.stderr)
			}
		})
	}
}

// TestUnreachable holds that a server that is not there is an error, and no list
// of what is unknown.
func TestUnreachable(t *testing.T) {
	got := clitest.Run(t.Context(), "", "doctor", "--kubeconfig", os.DevNull, "--server", "http://127.0.0.1:1", "-n", "shop")
	if got.Code != exit.Error || got.Stdout != "" || !strings.HasPrefix(got.Stderr, "error: cannot reach the server") {
		t.Errorf("got %+v", got)
	}
}

func run(t *testing.T, s *server, args ...string) clitest.Result {
	t.Helper()
	web := httptest.NewServer(s)
	defer web.Close()
	return clitest.Run(t.Context(), "", append([]string{"doctor", "--kubeconfig", os.DevNull, "--server", web.URL, "-n", "shop"}, args...)...)
}

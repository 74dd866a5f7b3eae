package install_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/manifests/bundle"
	"gati.dev/gati/pkg/cli/exit"
)

// outside is a server whose hooks call a gati-webhook outside the cluster. Like the API
// server, it refuses an apply that adds a Service beside the URL.
func outside(t *testing.T, at string) *httptest.Server {
	t.Helper()
	objects, err := bundle.Objects(at)
	if err != nil {
		t.Fatal(err)
	}
	stored := map[string]any{}
	for _, o := range objects {
		stored[o.GetName()+strings.ToLower(o.GetKind())+"s"] = o
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		parts := strings.Split(r.URL.Path, "/")
		answer, code := any(map[string]any{"kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404, "details": map[string]any{}}), http.StatusNotFound
		object, ok := stored[parts[len(parts)-1]+parts[max(0, len(parts)-2)]]
		switch {
		case r.URL.Path == "/version":
			answer, code = map[string]any{"gitVersion": "v1.37.1", "major": "1", "minor": "37"}, http.StatusOK
		case r.URL.Path == "/apis":
			answer, code = groups(), http.StatusOK
		case strings.HasSuffix(r.URL.Path, "selfsubjectaccessreviews"):
			answer, code = map[string]any{"status": map[string]any{"allowed": true}}, http.StatusCreated
		case r.Method == http.MethodPatch && strings.Contains(r.URL.Path, "webhookconfigurations"):
			answer, code = map[string]any{"kind": "Status", "status": "Failure", "reason": "Invalid", "code": 422, "message": "webhooks[0].clientConfig: Required value: exactly one of url or service is required"}, http.StatusUnprocessableEntity
		case ok:
			answer, code = object, http.StatusOK
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(answer) // the client sees a body that is cut off
	}))
	t.Cleanup(server.Close)
	return server
}

// groups are the APIs that a check before an installation wants.
func groups() map[string]any {
	var all []any
	for _, name := range []string{"admissionregistration.k8s.io/v1", "apiextensions.k8s.io/v1", "apps/v1", "authorization.k8s.io/v1", "autoscaling/v2",
		"coordination.k8s.io/v1", "discovery.k8s.io/v1", "flowcontrol.apiserver.k8s.io/v1", "networking.k8s.io/v1", "policy/v1", "rbac.authorization.k8s.io/v1", "scheduling.k8s.io/v1"} {
		group, version, _ := strings.Cut(name, "/")
		all = append(all, map[string]any{"name": group, "versions": []any{map[string]any{"version": version}}})
	}
	return map[string]any{"groups": all}
}

// Where gati-webhook runs outside the cluster, as in the demo, no other one is installed
// beside it.
func TestGatiIsOutside(t *testing.T) {
	const at = "https://127.0.0.1:9443"
	server := outside(t, at)
	for _, verb := range []string{"install", "upgrade"} {
		got := clitest.Run(t.Context(), "", verb, "--dry-run", "--kubeconfig", os.DevNull, "--server", server.URL)
		want := fmt.Sprintf("error: cannot %s: Gati is installed here with a gati-webhook outside the cluster, at %s; to keep that one: kubectl gati upgrade --webhook-url %s; ", verb, at, at)
		if got.Code != exit.Error || got.Stdout != "" || !strings.HasPrefix(got.Stderr, want) {
			t.Errorf("%s: %+v, want %s", verb, got, want)
		}
	}
}

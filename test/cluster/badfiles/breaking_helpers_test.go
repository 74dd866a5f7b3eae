package badfiles

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/gateway"
	"gati.dev/gati/test/support/kube"
)

// newAdminClient reads and writes as the administrator.
func newAdminClient(t *testing.T) client.WithWatch {
	t.Helper()
	c, err := kube.PatientClient(env.Config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// serveRoutes starts a controller for the Gateway web.
func serveRoutes(t *testing.T, c client.WithWatch) {
	t.Helper()
	gateways := gateway.New(c)
	gateways.Set("web", gateway.Behavior{})
	go gateways.Run(t.Context())
}

// applyText applies a text and returns what kubectl printed, and whether it was taken.
func applyText(t *testing.T, namespace, text string) (string, bool) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "users.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return env.Kubectl(t.Context(), dir, "apply", "-n", namespace, "-f", "users.yaml")
}

// mustApply applies what has to be taken.
func mustApply(t *testing.T, namespace, text string) string {
	t.Helper()
	out, ok := applyText(t, namespace, text)
	if !ok {
		t.Fatalf("not taken:\n%s", out)
	}
	return out
}

func readHandler(t *testing.T, c client.Client, namespace string) *v1.GatiHandler {
	t.Helper()
	h := &v1.GatiHandler{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "users"}, h); err != nil {
		t.Fatal(err)
	}
	return h
}

// describeHandler describes a handler for a failed wait.
func describeHandler(h *v1.GatiHandler) string {
	var out strings.Builder
	for _, c := range h.Status.Conditions {
		fmt.Fprintf(&out, "\n%s=%s %s: %s", c.Type, c.Status, c.Reason, c.Message)
	}
	for _, v := range h.Status.Versions {
		fmt.Fprintf(&out, "\n  %s %s workload %s weight %d replicas %d held %q", v.Version, v.Phase, v.Workload, v.Weight, v.Replicas, v.Held)
	}
	return out.String()
}

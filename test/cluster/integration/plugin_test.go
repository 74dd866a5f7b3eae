package integration

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"gati.dev/gati/internal/testing/builders"
)

// runPlugin runs kubectl-gati and returns what it prints and its exit code.
func runPlugin(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), cluster.Tools().Plugin, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+cluster.Kubeconfig)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return out.String(), errs.String(), exit.ExitCode()
	}
	if err != nil {
		t.Fatalf("run %s: %v", cluster.Tools().Plugin, err)
	}
	return out.String(), errs.String(), 0
}

// "kubectl gati status" of everything and of one object, against the cluster.
func TestPluginStatus(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	createObject(t, &corev1.Service{
		ObjectMeta: builders.MakeHandler("handler-bad").Namespace(ns).Obj().ObjectMeta,
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}},
	})
	createObject(t, builders.MakeHandler("good").Namespace(ns).Image("app:v1.0.0").Replicas(2).Obj())
	createObject(t, builders.MakeHandler("bad").Namespace(ns).Image("app:v1.0.0").Obj())
	createObject(t, builders.MakeModule("m").Namespace(ns).ModuleName("m").Runtime("node:20").Image("m:v1.0.0").Obj())
	readyHandler(t, ns, "good")
	readyModule(t, ns, "m")
	stalledHandler(t, ns, "bad", "Service handler-bad")
	awaitSettled(t, ns)

	cases := map[string]struct {
		args  []string
		code  int
		texts []string
	}{
		"all in the namespace": {[]string{"status", "-n", ns}, 0, []string{"gh/good", "v1.0.0", "2/2", "Healthy", "gh/bad", "gm/m"}},
		"all namespaces":       {[]string{"status", "-A"}, 0, []string{ns, "gh/good"}},
		"a healthy handler":    {[]string{"status", "good", "-n", ns}, 0, []string{"good", "v1.0.0", "2/2"}},
		"a module":             {[]string{"status", "gm/m", "-n", ns}, 0, []string{"m:v1.0.0"}},
		"an unhealthy handler": {[]string{"status", "bad", "-n", ns}, 3, []string{"handler-bad", "was not created by this object"}},
		"watch to the end":     {[]string{"status", "good", "-n", ns, "--watch", "--timeout=60s"}, 0, []string{"good"}},
		"no such handler":      {[]string{"status", "none", "-n", ns}, 1, []string{"none"}},
		"wrong usage":          {[]string{"status", "a", "--for=nothing", "-n", ns}, 2, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, code := runPlugin(t, tc.args...)
			if code != tc.code {
				t.Errorf("exit code %d, want %d\n%s%s", code, tc.code, stdout, stderr)
			}
			if err := checkContains(stdout+stderr, tc.texts...); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("as JSON", func(t *testing.T) {
		t.Parallel()
		stdout, stderr, _ := runPlugin(t, "status", "-n", ns, "-o", "json")
		var status struct {
			Kind     string
			Handlers []struct{ Name, Health string }
		}
		if err := json.Unmarshal([]byte(stdout), &status); err != nil {
			t.Fatalf("%v:\n%s%s", err, stdout, stderr)
		}
		if status.Kind != "Status" || len(status.Handlers) != 2 {
			t.Errorf("kind %q with %d handlers, want Status with 2", status.Kind, len(status.Handlers))
		}
	})
}

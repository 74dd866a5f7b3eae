package readme

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"gati.dev/gati/internal/local"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/terminal"
)

// TestInstallTourUninstall installs Gati with the plugin, asks the doctor, goes through
// the README's tour and uninstalls, with gati-webhook there to the end. The API server
// then has the objects that it had before, and no others. In its long form it does so
// once more, with gati-webhook dead when it uninstalls, which test/cluster/install tries with less.
func TestInstallTourUninstall(t *testing.T) {
	t.Parallel()
	env.Must(t, "", "get", "--raw", "/readyz")
	before := env.AtRest(t)
	ends := []string{"alive"}
	if soak.IsLong("installTourUninstall") {
		ends = append(ends, "dead")
	}
	for _, end := range ends {
		t.Run(end, func(t *testing.T) {
			timePart(t, "install", installGati)
			timePart(t, "doctor", assertDoctorGreen)
			timePart(t, "samples", func(t *testing.T) {
				if err := env.Cluster.ApplySamples(t.Context(), "../../../manifests/samples", t.Output()); err != nil {
					t.Fatal(err)
				}
			})
			timePart(t, "tour", walkTour)
			timePart(t, "uninstall", func(t *testing.T) { uninstallGati(t, end == "dead") })
			assertSameObjects(t, before)
		})
	}
}

// timePart runs a part of the test and prints how long it took.
func timePart(t *testing.T, what string, part func(*testing.T)) {
	t.Helper()
	began := time.Now()
	part(t)
	t.Logf("%s took %s", what, time.Since(began).Round(time.Millisecond))
}

// runGati runs the plugin, which has to succeed, and returns what it prints on both
// streams.
func runGati(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*await.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, env.Cluster.Tools().Plugin, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+env.Cluster.Kubeconfig)
	out, err := cmd.CombinedOutput()
	t.Logf("$ kubectl gati %s\n%s", strings.Join(args, " "), out)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// installGati installs Gati for a gati-webhook beside the cluster. The process needs the
// account first, so the wait is that of a second command.
func installGati(t *testing.T) {
	t.Helper()
	url := "--webhook-url=" + env.Webhook.URL()
	runGati(t, "doctor", "--pre")
	runGati(t, "install", url, "--wait=false")
	ctx, cancel := context.WithTimeout(t.Context(), await.Patience)
	defer cancel()
	if err := errors.Join(env.Webhook.Authorize(ctx), env.Webhook.Start(ctx)); err != nil {
		t.Fatal(err)
	}
	runGati(t, "install", url)
}

// assertDoctorGreen holds that the doctor finds everything well, and nothing that it cannot tell.
func assertDoctorGreen(t *testing.T) {
	t.Helper()
	var report struct {
		Findings []struct{ Check, Level, Message string }
	}
	if err := json.Unmarshal([]byte(runGati(t, "doctor", "-o", "json")), &report); err != nil {
		t.Fatal(err)
	}
	const checks = 18
	if len(report.Findings) < checks {
		t.Errorf("%d findings of %d checks", len(report.Findings), checks)
	}
	for _, f := range report.Findings {
		if f.Level != "ok" {
			t.Errorf("%s is %s: %s", f.Check, f.Level, f.Message)
		}
	}
}

// uninstallGati takes Gati away, and then the namespaces that the samples and the tour have
// made: those are the user's.
func uninstallGati(t *testing.T, dead bool) {
	t.Helper()
	end := env.Webhook.Stop
	if dead {
		if err := env.Webhook.Kill(); err != nil {
			t.Fatal(err)
		}
		end = func() error { return nil }
	}
	runGati(t, "uninstall", "--all", "--yes")
	if err := end(); err != nil {
		t.Fatal(err)
	}
	env.Must(t, "", "delete", "namespace", local.SampleNamespace, "shop", "--timeout=90s")
}

// assertSameObjects holds that the API server has the objects that it had before.
func assertSameObjects(t *testing.T, before map[string]bool) {
	t.Helper()
	await.Eventually(t, "cluster as it was", func() error {
		after, err := env.Inventory(t.Context())
		if err != nil {
			return err
		}
		left, lost := terminal.Difference(after, before), terminal.Difference(before, after)
		if len(left)+len(lost) > 0 {
			return fmt.Errorf("left: %v, lost: %v", left, lost)
		}
		return nil
	})
	t.Logf("the %d objects are those of before", len(before))
}

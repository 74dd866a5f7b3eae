package cli_test

import (
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/status"
)

// TestNoControlCharacters holds that no string of an object reaches the terminal with
// a control character, whatever command shows it as text.
func TestNoControlCharacters(t *testing.T) {
	commands := [][]string{
		{"status"}, {"status", "-A", "-o", "wide", "--color", "always"}, {"status", "users", "--color", "always"},
		{"status", "users", "-o", "wide"}, {"status", "users", "--for", "healthy", "--timeout", "1ms"}, {"status", "gm/db"},
		{"explain", "users"}, {"rollout", "history", "users"}, {"rollout", "promote", "users", "--dry-run"},
		{"rollout", "rollback", "users", "--dry-run"}, {"version", "list", "users"}, {"version", "get", "users", "v1.0.0"},
		{"version", "diff", "users", "v1.0.0", "v2.0.0"}, {"version", "scaffold", "users", "--from", "v1.0.0", "--to", "v2.0.0"}, {"version", "set-traffic", "users", "v2.0.0=30", "--dry-run"},
		{"logs", "users"}, {"logs", "gm/db"},
	}
	escaped := map[string]int{}
	for _, name := range statustest.HostileScenarios {
		for seed := range statustest.HostileSeeds {
			objs := statustest.MakeHostile(name, seed)
			server := hostileServer(t, objs)
			for _, args := range commands {
				got := clitest.Run(t.Context(), "", append(args, server.Connection()...)...)
				for stream, out := range map[string]string{"stdout": got.Stdout, "stderr": got.Stderr} {
					if err := statustest.CheckPrintable(out); err != nil {
						t.Errorf("%s, seed %d: %s: %s: %v", name, seed, strings.Join(args, " "), stream, err)
					}
					if strings.Contains(out, "\n"+statustest.Forged) {
						t.Errorf("%s, seed %d: %s: %s has a line of an object:\n%s", name, seed, strings.Join(args, " "), stream, out)
					}
					escaped[args[0]] += strings.Count(out, "A^[]52")
				}
			}
			server.Die()
		}
	}
	for _, args := range commands {
		if escaped[args[0]] == 0 {
			t.Errorf("%s has shown no hostile text", args[0])
		}
	}
}

// hostileServer serves the objects, and hostile logs without line breaks.
func hostileServer(t *testing.T, objs status.Objects) *clitest.Server {
	server := clitest.NewServer(t, objs)
	server.Logs = map[string]string{}
	for i := range objs.Pods {
		server.Logs[objs.Pods[i].Name] = "one\t\xff" + strings.ReplaceAll(statustest.Hostile, "\n", "") + "\r\ntwo"
	}
	return server
}

// TestDataStaysData holds that formats for programs have the strings as they are.
func TestDataStaysData(t *testing.T) {
	const path = "/a\x1b]52;c;QUFB\a\tb\x7f\u009b"
	objs := statustest.Healthy()
	objs.Handlers[0].Spec.Path = path
	server := clitest.NewServer(t, objs)
	for format, want := range map[string]string{
		"jsonpath={.handlers[0].path}": path,
		"json":                         `"path": "/a\u001b]52;c;QUFB\u0007\tb\u007f\u009b"`,
		"yaml":                         `path: "/a\e]52;c;QUFB\a\tb\x7F\x9B"`,
	} {
		got := clitest.Run(t.Context(), "", append([]string{"status", "-o", format}, server.Connection()...)...)
		if !strings.Contains(got.Stdout, want) {
			t.Errorf("%s: %q lacks %q", format, got.Stdout, want)
		}
	}
}

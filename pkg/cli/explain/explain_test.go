package explain_test

import (
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/status"
)

// TestGolden runs the command over every scenario, as text and as JSON; what it
// writes is in testdata/<scenario>.txt and .json. The exit code is that of the
// status, whatever the format.
func TestGolden(t *testing.T) {
	for name, objs := range statustest.Scenarios() {
		if name == "empty" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			server := clitest.NewServer(t, objs)
			status := codeOf(t, server, "status", "users")
			for suffix, format := range map[string][]string{".txt": nil, ".json": {"-o", "json"}} {
				got := clitest.Run(t.Context(), "", append(append([]string{"explain", "users"}, format...), server.Connection()...)...)
				golden.Compare(t, name+suffix, got.Stdout)
				if got.Code != status {
					t.Errorf("exit code %d, want that of the status, %d: %s", got.Code, status, got.Stderr)
				}
				if warns := strings.Contains(got.Stderr, "warning: "); warns != (len(objs.Unread) > 0 && format == nil) {
					t.Errorf("stderr %q", got.Stderr)
				}
			}
		})
	}
}

func codeOf(t *testing.T, server *clitest.Server, args ...string) int {
	t.Helper()
	return clitest.Run(t.Context(), "", append(args, server.Connection()...)...).Code
}

func TestModule(t *testing.T) {
	server := clitest.NewServer(t, statustest.ModuleDenied())
	got := clitest.Run(t.Context(), "", append([]string{"explain", "db"}, server.Connection()...)...)
	golden.Compare(t, "module.txt", got.Stdout)
	if got.Code != exit.Unhealthy || got.Stderr != "" {
		t.Errorf("got %+v", got)
	}
}

func TestErrors(t *testing.T) {
	server := clitest.NewServer(t, statustest.Healthy())
	lost := clitest.NewServer(t, status.Objects{})
	lost.NotServed = []string{status.ResourceHandlers, status.ResourceModules, status.ResourceVersions}
	cases := map[string]struct {
		server *clitest.Server
		args   []string
		want   clitest.Result
	}{
		"nobody":  {server, []string{"nobody"}, clitest.Result{Stderr: "error: no handler or module \"nobody\" in namespace shop\n", Code: exit.Error}},
		"a pod":   {server, []string{"pod/x"}, clitest.Result{Stderr: "error: \"pod/x\" is neither a handler (gh/NAME) nor a module (gm/NAME)\n", Code: exit.Usage}},
		"no name": {server, nil, clitest.Result{Stderr: "error: accepts 1 arg(s), received 0; see kubectl gati explain --help\n", Code: exit.Usage}},
		"-o name": {server, []string{"users", "-o", "name"}, clitest.Result{Stderr: "error: an explanation has no name; use json, yaml or a template\n", Code: exit.Usage}},
		"no CRDs": {lost, []string{"users"}, clitest.Result{Stderr: "error: the Gati CRDs are not installed in this cluster; to install them: kubectl gati install\n", Code: exit.Error}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := clitest.Run(t.Context(), "", append(append([]string{"explain"}, tc.args...), tc.server.Connection()...)...); got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

package cli_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/status"
)

// TestNamesAreCompleted holds which names a command offers behind it.
func TestNamesAreCompleted(t *testing.T) {
	server := clitest.NewServer(t, statustest.Healthy())
	forbidden := clitest.NewServer(t, statustest.Healthy())
	forbidden.Forbidden = []string{status.ResourceHandlers, status.ResourceModules}
	cases := map[string]struct {
		server *clitest.Server
		words  string
		want   []string
	}{
		"handlers and modules":   {server, "status ", []string{"db", "users"}},
		"without those given":    {server, "status users ", []string{"db"}},
		"handlers":               {server, "version get ", []string{"users"}},
		"no second name":         {server, "version get users ", nil},
		"a request":              {server, "rollout promote ", []string{"db", "users"}},
		"logs":                   {server, "logs ", []string{"db", "users"}},
		"nothing when forbidden": {forbidden, "status ", nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"__complete"}, tc.server.Connection()...)
			got := clitest.Run(t.Context(), "", append(args, strings.Split(tc.words, " ")...)...)
			lines := strings.Split(strings.TrimSpace(got.Stdout), "\n")
			names := append([]string(nil), lines[:len(lines)-1]...)
			if diff := cmp.Diff(tc.want, names); diff != "" || lines[len(lines)-1] != ":4" {
				t.Errorf("(-want,+got):\n%s\n%s", diff, got.Stdout)
			}
		})
	}
}

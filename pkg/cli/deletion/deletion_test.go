package deletion_test

import (
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/status"
)

// TestDelete holds that a module in use is deleted only after an answer, and that the
// handlers that lose it are named.
func TestDelete(t *testing.T) {
	used := func() status.Objects {
		objs := statustest.Healthy()
		objs.Handlers[0].Spec.Modules = append(objs.Handlers[0].Spec.Modules, "db")
		return objs
	}
	unused := func() status.Objects {
		objs := statustest.Healthy()
		for i := range objs.Handlers {
			objs.Handlers[i].Spec.Modules = nil
		}
		return objs
	}
	for name, tc := range map[string]struct {
		objects status.Objects
		args    []string
		code    int
		says    string
		gone    bool
	}{
		"in use, no terminal": {used(), []string{"gm/db"}, 1, "gm/db is used by gh/users; their calls to it will fail.\nerror: nothing changed: add --yes", false},
		"in use, --yes":       {used(), []string{"gm/db", "--yes"}, 0, "gm/db deleted", true},
		"no terminal":         {unused(), []string{"gm/db"}, 1, "gm/db is used by no handler.\nerror: nothing changed: add --yes", false},
		"not in use":          {unused(), []string{"db", "-y"}, 0, "gm/db deleted", true},
		"not there":           {unused(), []string{"gm/none"}, 1, "not found", false},
		"a handler":           {used(), []string{"gh/users"}, 2, "kubectl delete gh users", false},
	} {
		t.Run(name, func(t *testing.T) {
			server := clitest.NewServer(t, tc.objects)
			got := clitest.Run(t.Context(), "", append(append([]string{"delete"}, tc.args...), server.Connection()...)...)
			if got.Code != tc.code || !strings.Contains(got.Stdout+got.Stderr, tc.says) {
				t.Errorf("exit code %d, want %d and %q:\n%s%s", got.Code, tc.code, tc.says, got.Stdout, got.Stderr)
			}
			left := clitest.Run(t.Context(), "", append([]string{"status", "gm/db"}, server.Connection()...)...)
			if gone := strings.Contains(left.Stderr, "not found"); gone != tc.gone {
				t.Errorf("the module is gone: %v, want %v\n%s%s", gone, tc.gone, left.Stdout, left.Stderr)
			}
		})
	}
}

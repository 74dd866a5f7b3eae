package readme

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gati.dev/gati/test/support/repository"
)

// TestDemo runs what "make demo" and "make demo-down" run once everything is built, in a
// folder of its own: the doctor at the end finds everything well, and nothing is left.
func TestDemo(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for to, name := range map[string]string{filepath.Dir(env.Cluster.Tools().Plugin): "bin", repository.Path("manifests"): "manifests"} {
		absolute, err := filepath.Abs(to)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(absolute, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(t.TempDir(), "demo")
	if out, err := exec.Command("go", "build", "-ldflags", "-s -w", "-o", program, "gati.dev/gati/hack/demo").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	demo := func(what string) string {
		cmd := exec.Command(program, what)
		cmd.Dir = folder
		cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "KUBECONFIG=") })
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("demo %s: %v", what, err)
		}
		t.Logf("demo %s\n%s", what, out)
		return string(out)
	}
	defer func() {
		demo("down")
		if _, err := os.Stat(filepath.Join(folder, ".devcluster")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("demo down leaves its folder: %v", err)
		}
	}()
	_, said, _ := strings.Cut(demo("up"), "==> kubectl gati doctor\n")
	said, _, _ = strings.Cut(said, "no problem;")
	lines := slices.Collect(strings.Lines(said))
	if len(lines) < 17 {
		t.Errorf("the doctor says %q", said)
	}
	for _, line := range lines {
		if !fine.MatchString(line) {
			t.Errorf("the doctor says %q", line)
		}
	}
}

// fine is a line of the doctor about what is well.
var fine = regexp.MustCompile(`^ok +[a-z-]+ +\S`)

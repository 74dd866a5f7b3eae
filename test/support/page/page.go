// Package page does in tests what a page of docs/ says: its files are written, its commands
// typed. It must not know any page.
package page

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gati.dev/gati/internal/local"
	"gati.dev/gati/test/support/kube"
	"gati.dev/gati/test/support/repository"
)

// Block is a block of code of a page. One without a kind is not meant to be done.
type Block struct {
	// Kind is yaml for a file, sh for commands, text for what these print.
	Kind, Text string
}

var (
	blocks   = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```\n")
	fileName = regexp.MustCompile(`^# (\S+\.yaml)\n`)
)

// Read returns the blocks of a page, such as docs/modules.md.
func Read(t testing.TB, file string) []Block {
	t.Helper()
	text, err := os.ReadFile(repository.Path(filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	var out []Block
	for _, m := range blocks.FindAllStringSubmatch(string(text), -1) {
		out = append(out, Block{m[1], m[2]})
	}
	if len(out) == 0 {
		t.Fatalf("%s has no block", file)
	}
	return out
}

// File returns the file of that name that a page of docs shows.
func File(t *testing.T, page, name string) string {
	t.Helper()
	for _, b := range Read(t, page) {
		if m := fileName.FindStringSubmatch(b.Text); b.Kind == "yaml" && m != nil && m[1] == name {
			return b.Text
		}
	}
	t.Fatalf("%s has no file %s", page, name)
	return ""
}

// Terminal is a folder with kubectl and the plugin, of a person with a namespace.
type Terminal struct {
	t      *testing.T
	folder string
}

// Open returns a terminal of the cluster's administrator.
func Open(t *testing.T, cluster *local.Cluster, ns string) *Terminal {
	t.Helper()
	term := &Terminal{t, t.TempDir()}
	content, err := os.ReadFile(cluster.Kubeconfig)
	if err == nil {
		err = os.WriteFile(filepath.Join(term.folder, "kubeconfig"), content, 0o600)
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(term.folder, "bin"), 0o755)
	}
	for name, path := range map[string]string{"kubectl": cluster.Kubectl, "kubectl-gati": cluster.Tools().Plugin} {
		absolute, absErr := filepath.Abs(path)
		if err == nil {
			err = absErr
		}
		if err == nil {
			err = os.Symlink(absolute, filepath.Join(term.folder, "bin", name))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	term.Type("kubectl config set-context --current --namespace=" + ns)
	return term
}

// Type runs commands, and returns what they print. One that fails fails the test, unless it is
// the first and a webhook had no time for it, as on a busy machine: that has done nothing, and
// is typed again.
func (term *Terminal) Type(script string) string {
	term.t.Helper()
	for typed := 1; ; typed++ {
		out, err := term.runScript(script)
		term.t.Logf("%s%s", script, out)
		if err == nil {
			return out
		}
		if !isUndone(out) || typed == kube.MostTries {
			term.t.Fatalf("%s: %v\n%s", script, err, out)
		}
	}
}

// isUndone reports whether the first of the commands that printed this was refused because a
// webhook had no time for it. A command that changes something prints that first.
func isUndone(out string) bool {
	return strings.HasPrefix(out, "Error from server (InternalError)") && kube.IsOutOfTime(out)
}

func (term *Terminal) runScript(script string) (string, error) {
	cmd := exec.CommandContext(term.t.Context(), "bash", "-ec", script)
	cmd.Dir = term.folder
	cmd.Env = append(os.Environ(), "KUBECONFIG="+filepath.Join(term.folder, "kubeconfig"), "KUBECACHEDIR="+filepath.Join(term.folder, "cache"),
		"PATH="+filepath.Join(term.folder, "bin")+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Save writes a yaml block into the file that its first line names.
func (term *Terminal) Save(b Block) {
	term.t.Helper()
	name := fileName.FindStringSubmatch(b.Text)
	if name == nil {
		term.t.Fatalf("a block without the name of its file:\n%s", b.Text)
	}
	if err := os.WriteFile(filepath.Join(term.folder, name[1]), []byte(b.Text), 0o600); err != nil {
		term.t.Fatal(err)
	}
}

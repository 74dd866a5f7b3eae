package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	pageBlock = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```\n")
	pageFile  = regexp.MustCompile(`^# (\S+\.yaml)\n`)
)

// TestModulesPage does what docs/modules.md says, in order: a yaml block is the file in
// its first line, an sh block is run, and each line of a text block is in what the
// commands before it print.
func TestModulesPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/modules.md")
	if err != nil {
		t.Fatal(err)
	}
	ns, folder, printed := namespace(t), t.TempDir(), ""
	run := terminalIn(t, ns, folder)
	for _, m := range pageBlock.FindAllStringSubmatch(string(page), -1) {
		switch kind, text := m[1], m[2]; kind {
		case "yaml":
			name := pageFile.FindStringSubmatch(text)
			if name == nil {
				t.Fatalf("a block without the name of its file:\n%s", text)
			}
			if err := os.WriteFile(filepath.Join(folder, name[1]), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		case "sh":
			printed = run(text)
		case "text":
			for line := range strings.Lines(text) {
				if !strings.Contains(printed, strings.TrimSpace(line)) {
					t.Errorf("%q is not in what is printed:\n%s", line, printed)
				}
			}
		default:
			t.Errorf("a block of the kind %q, which nothing does", kind)
		}
	}
}

// terminalIn returns what runs commands in a folder, as a person whose namespace is ns.
func terminalIn(t *testing.T, ns, folder string) func(string) string {
	t.Helper()
	programs, config := filepath.Join(folder, "bin"), filepath.Join(folder, "kubeconfig")
	content, err := os.ReadFile(cluster.Kubeconfig)
	if err == nil {
		err = os.WriteFile(config, content, 0o600)
	}
	if err == nil {
		err = os.Mkdir(programs, 0o755)
	}
	for name, path := range map[string]string{"kubectl": cluster.Kubectl, "kubectl-gati": cluster.Tools().Plugin} {
		absolute, absErr := filepath.Abs(path)
		if err == nil {
			err = absErr
		}
		if err == nil {
			err = os.Symlink(absolute, filepath.Join(programs, name))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	run := func(script string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "bash", "-ec", script)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "KUBECONFIG="+config, "KUBECACHEDIR="+filepath.Join(folder, "cache"), "PATH="+programs+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		t.Logf("%s%s", script, out)
		if err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
		return string(out)
	}
	run("kubectl config set-context --current --namespace=" + ns)
	return run
}

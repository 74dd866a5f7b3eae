package policy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gati.dev/gati/test/support/apiserver"
)

// TestKubectl goes with the real kubectl through what the table of requests does
// by other means, and through the ways out that the refusals name.
func TestKubectl(t *testing.T) {
	const ns = "kubectl"
	namespace(t, ns)
	grantRole(t, ns, "alice", "gati-edit")
	k := newKubectl(t, ns)
	manifest := k.file("handler.yaml", "apiVersion: gati.dev/v1\nkind: GatiHandler\nmetadata: {name: users}\nspec: {path: /a, image: 'app:v1'}\n")
	k.run("admitted", "apply", "-f", manifest)

	first := []string{"annotate", "gatihandler", "users", "--overwrite", "gati.dev/request=pause/" + uuid(1), "gati.dev/requested-by=alice"}
	k.run("admitted", first...)
	k.run("admitted", first...) // the same again is nothing new
	old := k.file("old.yaml", withoutIdentity(k.run("admitted", "get", "gatihandler", "users", "-o", "yaml")))
	k.run("admitted", "apply", "-f", old) // it holds what is stored
	k.run("admitted", "apply", "-f", manifest, "--dry-run=server")
	k.run("admitted", "annotate", "gatihandler", "users", "--overwrite", "gati.dev/request=resume/"+uuid(2), "gati.dev/requested-by=alice")

	k.run("cannot be applied", "apply", "-f", old)
	k.run("cannot be applied", "apply", "-f", old, "--server-side", "--force-conflicts")
	k.run("cannot be applied", "replace", "-f", old)
	k.run("admitted", "apply", "-f", manifest) // takes away what an apply has set: both annotations

	k.run("admitted", "delete", "gatihandler", "users")
	k.run("cannot come with a new handler", "create", "-f", old)
	k.run("cannot come with a new handler", "apply", "-f", old)
	clean := k.run("admitted", "annotate", "--local", "-o", "yaml", "-f", old, "gati.dev/request-", "gati.dev/requested-by-")
	k.run("admitted", "create", "-f", k.file("clean.yaml", clean))
}

// withoutIdentity drops what makes a manifest that of one object at one time.
func withoutIdentity(manifest string) string {
	var kept []string
	for line := range strings.Lines(manifest) {
		if !strings.HasPrefix(line, "  resourceVersion:") && !strings.HasPrefix(line, "  uid:") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// kubectl is the one among the assets, as alice.
type kubectl struct {
	t                    *testing.T
	binary, dir, ns, who string
}

func newKubectl(t *testing.T, ns string) *kubectl {
	k := &kubectl{t: t, binary: filepath.Join(os.Getenv(apiserver.AssetsVariable), "kubectl"), dir: t.TempDir(), ns: ns, who: "alice"}
	if _, err := os.Stat(k.binary); err != nil {
		t.Fatalf("\"make assets\" builds kubectl beside kube-apiserver: %v", err)
	}
	writeKubeconfig(t, filepath.Join(k.dir, "kubeconfig"))
	return k
}

func (k *kubectl) file(name, text string) string {
	k.t.Helper()
	path := filepath.Join(k.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		k.t.Fatal(err)
	}
	return path
}

// run returns what kubectl prints. It must be admitted, or be refused with what
// is wanted.
func (k *kubectl) run(want string, args ...string) string {
	k.t.Helper()
	cmd := exec.Command(k.binary, append([]string{"--kubeconfig", filepath.Join(k.dir, "kubeconfig"), "--cache-dir", k.dir, "-n", k.ns, "--as", k.who}, args...)...)
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if admitted := err == nil; admitted != (want == "admitted") || !admitted && !strings.Contains(problems.String(), want) {
		k.t.Errorf("kubectl %s: want %s, got %v\n%s%s", strings.Join(args, " "), want, err, out, problems.String())
	}
	return string(out)
}

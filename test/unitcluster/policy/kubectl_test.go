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
	makeNamespace(t, ns)
	grantRole(t, ns, "alice", "gati-edit")
	k := newKubectl(t, ns)
	manifest := k.writeFile("handler.yaml", "apiVersion: gati.dev/v1\nkind: GatiHandler\nmetadata: {name: users}\nspec: {path: /a, image: 'app:v1'}\n")
	k.assertRun("admitted", "apply", "-f", manifest)

	first := []string{"annotate", "gatihandler", "users", "--overwrite", "gati.dev/request=pause/" + nthUUID(1), "gati.dev/requested-by=alice"}
	k.assertRun("admitted", first...)
	k.assertRun("admitted", first...) // the same again is nothing new
	old := k.writeFile("old.yaml", withoutIdentity(k.assertRun("admitted", "get", "gatihandler", "users", "-o", "yaml")))
	k.assertRun("admitted", "apply", "-f", old) // it holds what is stored
	k.assertRun("admitted", "apply", "-f", manifest, "--dry-run=server")
	k.assertRun("admitted", "annotate", "gatihandler", "users", "--overwrite", "gati.dev/request=resume/"+nthUUID(2), "gati.dev/requested-by=alice")

	k.assertRun("cannot be applied", "apply", "-f", old)
	k.assertRun("cannot be applied", "apply", "-f", old, "--server-side", "--force-conflicts")
	k.assertRun("cannot be applied", "replace", "-f", old)
	k.assertRun("admitted", "apply", "-f", manifest) // takes away what an apply has set: both annotations

	k.assertRun("admitted", "delete", "gatihandler", "users")
	k.assertRun("cannot come with a new handler", "create", "-f", old)
	k.assertRun("cannot come with a new handler", "apply", "-f", old)
	clean := k.assertRun("admitted", "annotate", "--local", "-o", "yaml", "-f", old, "gati.dev/request-", "gati.dev/requested-by-")
	k.assertRun("admitted", "create", "-f", k.writeFile("clean.yaml", clean))
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

func (k *kubectl) writeFile(name, text string) string {
	k.t.Helper()
	path := filepath.Join(k.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		k.t.Fatal(err)
	}
	return path
}

// assertRun returns what kubectl prints. It must be admitted, or be refused with what
// is wanted.
func (k *kubectl) assertRun(want string, args ...string) string {
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

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/local"
	"gati.dev/gati/test/support/repository"
)

// first is the first commit whose install.yaml installs a program that runs.
const first = "f8f22eb"

// ours and firsts are the images of this checkout and of that commit.
const (
	ours   = "gati.dev/gati-webhook:v0.1.0"
	firsts = "gati.dev/gati-webhook:first"
)

func TestInstallOverTheFirstKeepsThePods(t *testing.T) {
	given, when, then := scenario(t)

	given.noGati()
	given.theFirstGati()
	given.aHandler(setReplicas(2))
	given.steadyTraffic(20)
	when.applyInstallFile(installYAML)
	then.gatiIsUp()
	then.aLeaderRuns(ours)
	then.anApplySucceedsWithin(30 * time.Second)
	when.secondsPass(20)
	then.itsPodsAreTheSame()
	when.applyChanges(setImage("v1.1.0"))
	then.allPodsRun("v1.1.0")
	then.noRequestHasFailed(500)
}

// theFirstGati builds, loads and installs what the first commit has.
func (g given) theFirstGati() {
	g.t.Helper()
	dir := g.t.TempDir()
	tree, binary, archive := filepath.Join(dir, "tree"), filepath.Join(dir, "gati-webhook"), filepath.Join(dir, "image.tar")
	if err := os.Mkdir(tree, 0o755); err != nil {
		g.t.Fatal(err)
	}
	g.runProgram(repository.Path(), "sh", "-c", "git archive "+first+" | tar -x -C "+tree)
	g.runProgram(tree, "go", "build", "-trimpath", "-o", binary, "./cmd/gati-webhook")
	g.runProgram(repository.Path(), "go", "run", "./hack/image", "-binary", binary, "-o", archive, "-tag", firsts)
	if err := cluster.LoadImage(g.t.Context(), archive); err != nil {
		g.t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(tree, "manifests", "install.yaml"))
	if err != nil {
		g.t.Fatal(err)
	}
	if _, err := cluster.Run(g.t.Context(), strings.ReplaceAll(string(text), "image: "+ours, "image: "+firsts), "apply", "-f", "-"); err != nil {
		g.t.Fatal(err)
	}
	// It has the hooks and the controllers in one Deployment.
	g.eventually("first Gati with all replicas ready", func() error { return rolledOut(g.t.Context(), system, local.Account) })
	g.eventually("apply that is admitted", func() error { return firstApply(g.t.Context()) })
	installed = true
	g.logStep("given the gati-webhook and the install.yaml of commit %s", first)
}

// runProgram runs a program in a folder.
func (w *world) runProgram(dir, name string, args ...string) {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

// secondsPass lets time pass in which something could go wrong that must not.
func (w when) secondsPass(n int) {
	w.t.Helper()
	time.Sleep(time.Duration(n) * time.Second)
	w.logStep("when %d seconds have passed", n)
}

// aLeaderRuns waits until a pod of that image leads.
func (n then) aLeaderRuns(image string) {
	n.t.Helper()
	n.eventually("leader of "+image, func() error {
		name, _, _ := strings.Cut(n.awaitLeader(), "_")
		var pods corev1.PodList
		err := admin.List(n.t.Context(), &pods, client.InNamespace(system), client.MatchingLabels{"app.kubernetes.io/part-of": "gati"})
		if err != nil {
			return err
		}
		for _, p := range pods.Items {
			if p.Name == name {
				return checkContains(p.Spec.Containers[0].Image, image)
			}
		}
		return fmt.Errorf("the leader %s is gone", name)
	})
	n.logStep("then a replica of %s leads", image)
}

package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/local"
	"gati.dev/gati/internal/testing/remedies"
	"gati.dev/gati/pkg/remedy"
	"gati.dev/gati/test/support/repository"
)

// ways are the sections of docs/deployment.md that lead from a cluster without Gati to
// one without Gati.
var ways = [][]string{
	{"The plugin", "Upgrade by the plugin", "Remove by the plugin"},
	{"install.yaml", "Upgrade by install.yaml", "Remove by install.yaml"},
	{"The chart", "Upgrade by Helm", "Change the values", "Remove by Helm", "Remove what Helm leaves"},
}

// removes has the sections after which Gati is gone.
var removes = map[string]bool{
	"Remove by the plugin": true, "Remove by install.yaml": true,
	"Remove by Helm": true, "Remove what Helm leaves": true,
}

var shBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```\n")

// deploymentPage returns the commands of docs/deployment.md by section.
func deploymentPage(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(repository.Path("docs", "deployment.md"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, section := range regexp.MustCompile(`(?m)^##+ `).Split(string(text), -1)[1:] {
		heading, body, _ := strings.Cut(section, "\n")
		for _, block := range shBlock.FindAllStringSubmatch(body, -1) {
			out[heading] += block[1]
		}
	}
	return out
}

// runPageCommands runs commands of the page in the checkout, as bash does with "set -e".
func (w *world) runPageCommands(commands string) {
	w.t.Helper()
	if commands == "" {
		w.t.Fatal("docs/deployment.md has no such section with commands")
	}
	if out, err := w.runShell(commands); err != nil {
		w.t.Fatalf("%v\n%s\n%s", err, commands, out)
	}
	w.logStep("when a person has typed\n%s", strings.TrimSpace(commands))
}

// runShell runs commands with helm, kubectl and the plugin on the PATH.
func (w *world) runShell(commands string) (string, error) {
	w.t.Helper()
	bin := w.t.TempDir()
	for name, path := range map[string]string{"helm": os.Getenv("GATI_HELM"), "kubectl": cluster.Kubectl, "kubectl-gati": cluster.Tools().Plugin} {
		if path == "" {
			w.t.Fatalf("the path of %s is not set; run: make e2e", name)
		}
		if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
			w.t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(w.t.Context(), "bash", "-euo", "pipefail", "-c", commands)
	cmd.Dir = repository.Path()
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "KUBECONFIG="+cluster.Kubeconfig, "HOME="+bin)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// whatToDo prints what explain and status name as a next step. Both fail for what is not healthy.
const whatToDo = `kubectl gati explain users -o jsonpath='{range .links[*]}{.next}{"\n"}{end}' -n %s || true
kubectl gati status users -o jsonpath='{range .handlers[*].problems[*]}{.next}{"\n"}{end}' -n %s`

// executesRemedies types commands that explain or status names. Each shows something.
func (n then) executesRemedies(named ...remedy.Remedy) {
	n.t.Helper()
	for _, r := range named {
		said := ""
		n.eventually("the remedy "+string(r), func() error {
			said, _ = n.runShell(fmt.Sprintf(whatToDo, n.ns, n.ns))
			if remedies.Find(r, said) == "" {
				return errors.New(said)
			}
			return nil
		})
		n.executeIn(r, said)
	}
}

// executesCommand types a command without arguments of its own.
func (n then) executesCommand(r remedy.Remedy) { n.t.Helper(); n.executeIn(r, string(r)) }

// executeIn types the command of a remedy in a message, which shows something.
func (n then) executeIn(r remedy.Remedy, said string) {
	n.t.Helper()
	shell := func(_ context.Context, line string) (string, error) { return n.runShell(line) }
	if shown := remedies.Execute(n.t, shell, r, said); strings.TrimSpace(shown) == "" {
		n.t.Errorf("%s shows nothing", r)
	}
	n.logStep("then %s shows something", r)
}

// gatiRuns waits for a Gati that this scenario has installed by itself.
func (g given) gatiRuns() {
	g.t.Helper()
	g.gatiIsUp()
	g.eventually("apply that is admitted", func() error { return firstApply(g.t.Context()) })
	installed = true
}

// nothingOfGatiWorks holds that both Deployments are gone.
func (n then) nothingOfGatiWorks() {
	n.t.Helper()
	installed = false
	n.eventually("cluster without Deployments of Gati", func() error {
		var list appsv1.DeploymentList
		err := admin.List(n.t.Context(), &list, client.InNamespace(system))
		if err == nil && len(list.Items) > 0 {
			err = fmt.Errorf("%d Deployments are left", len(list.Items))
		}
		return err
	})
	n.logStep("then no Deployment of Gati is left")
}

func (n then) theHooksHave(replicas int32) {
	n.t.Helper()
	n.gatiIsUp()
	var d appsv1.Deployment
	if err := admin.Get(n.t.Context(), client.ObjectKey{Namespace: system, Name: local.Account}, &d); err != nil || d.Status.ReadyReplicas != replicas {
		n.t.Errorf("%d replicas of the hooks are ready (%v), want %d", d.Status.ReadyReplicas, err, replicas)
	}
	n.logStep("then %d replicas of the hooks are ready", replicas)
}

// theHooksAreGone leaves a cluster on which no handler can be created.
func (w when) theHooksAreGone() {
	w.t.Helper()
	installed = false
	w.runKubectl("", "-n", system, "scale", "deployment", local.Account, "--replicas=0")
	w.eventually("no pod of the hooks", func() error {
		pods, err := webhookPods(w.t.Context())
		if err == nil && len(pods) > 0 {
			err = errors.New("pods are left")
		}
		return err
	})
	w.logStep("when the hooks have no pods")
}

func (n then) helmTestFails() {
	n.t.Helper()
	if out, err := n.runShell("helm test gati --namespace gati-system"); err == nil {
		n.t.Errorf("helm test passes without hooks:\n%s", out)
	}
	n.logStep("then helm test fails")
}

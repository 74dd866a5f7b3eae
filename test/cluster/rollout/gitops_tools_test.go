package rollout_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gati.dev/gati/test/support/peers"
	"gati.dev/gati/test/support/repository"
)

// gitTool brings what a repository has to the cluster, and judges what it finds there.
type gitTool interface {
	syncFile(*git)
	assertHealth(g *git, phase string)
}

// healths has what Argo CD makes of each phase.
var healths = map[string]string{
	"first, starting":             "Progressing",
	"first, stable":               "Healthy",
	"at the first step":           "Suspended",
	"frozen":                      "Suspended",
	"at the second step":          "Suspended",
	"superseded":                  "Suspended",
	"rejected":                    "Degraded",
	"draining":                    "Healthy",
	"rolled back, pinned":         "Degraded",
	"labelled by another manager": "Degraded",
	"manual, the new version without traffic": "Healthy",
	"reverted in Git":                         "Healthy",
	"manual, 70/30":                           "Healthy",
	"rolling":                                 "Progressing",
	"rolled":                                  "Healthy",
}

// TestArgoCDSeesNoDrift holds that none of Argo CD's ways to compare finds a handler out
// of sync, and that its health is right, in every phase.
func TestArgoCDSeesNoDrift(t *testing.T) {
	peers.Need(t)
	t.Parallel()
	takesPhases(t, nil, argoCD{})
}

// takesPhases goes through the phases of all stories.
func takesPhases(t *testing.T, annotations map[string]string, tool gitTool) {
	t.Helper()
	phases := map[string]func(*git){"starting": startingOfGit, "canary": canaryOfGit, "rolling": rollingOfGit, "manual": manualOfGit}
	for _, name := range slices.Sorted(maps.Keys(phases)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			phases[name](&git{world: newWorld(t), serverSide: true, tool: tool, annotations: annotations})
		})
	}
}

// argoCD is Argo CD with ServerSideApply=true.
type argoCD struct{}

func (argoCD) syncFile(g *git) {
	g.t.Helper()
	g.runProgram("argocd", "sync", g.file, argoCDSettings())
}

// argoCDSettings is the ConfigMap with our health scripts.
func argoCDSettings() string { return repository.Path("manifests", "argocd", "argocd-cm.yaml") }

func (argoCD) assertHealth(g *git, phase string) {
	g.t.Helper()
	g.eventually("right health for Argo CD: "+phase, func() error {
		var got struct {
			Drift           map[string]string
			Health, Message string
		}
		g.decodeJSON(g.runProgram("argocd", "judge", g.file, argoCDSettings()), &got)
		for way, difference := range got.Drift {
			g.t.Errorf("%s: Argo CD finds by its %s comparison:\n%s", phase, way, difference)
		}
		return checkHealth(healths[phase], got.Health, got.Message)
	})
}

func checkHealth(want, got, message string) error {
	if want == "" {
		return errors.New("the table has no such phase")
	}
	if got != want {
		return fmt.Errorf("%s (%s), want %s", got, message, want)
	}
	return nil
}

// runProgram runs one of the programs of make gitops-tools. Where the API server did not
// reach the webhook in time, it tries again, as both tools do.
func (g *git) runProgram(name string, args ...string) (out string) {
	g.t.Helper()
	g.eventually(name+" that reaches the webhook", func() error {
		cmd := exec.CommandContext(g.t.Context(), filepath.Join(repository.Bin(), name), args...)
		cmd.Env = append(os.Environ(), "KUBECONFIG="+cluster.Kubeconfig)
		var said strings.Builder
		cmd.Stderr = &said
		raw, err := cmd.Output()
		if err != nil && strings.Contains(said.String(), "failed to call webhook") {
			return errors.New(said.String())
		}
		if err != nil {
			g.t.Fatalf("%s %q (run: make gitops-tools): %v\n%s", name, args, err, said.String())
		}
		out = string(raw)
		return nil
	})
	return out
}

func (g *git) decodeJSON(text string, into any) {
	g.t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		g.t.Fatalf("%v: %s", err, text)
	}
}

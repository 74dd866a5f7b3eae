package rollout_test

import (
	"os"
	"strings"
	"testing"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/peers"
	"gati.dev/gati/test/support/repository"
)

// TestFluxSeesNoDrift holds that Flux finds nothing to change of a handler that has the
// annotation of docs/gitops.md, and that its health is right, in every phase.
func TestFluxSeesNoDrift(t *testing.T) {
	peers.Need(t)
	t.Parallel()
	page, err := os.ReadFile(repository.Path("docs", "gitops.md"))
	if err != nil || !strings.Contains(string(page), "kustomize.toolkit.fluxcd.io/ssa: "+mergeByFlux["kustomize.toolkit.fluxcd.io/ssa"]) {
		t.Errorf("docs/gitops.md does not have the annotation (%v)", err)
	}
	takesPhases(t, mergeByFlux, flux{})
}

// mergeByFlux lets Flux leave the fields of kubectl and of its plugins alone.
var mergeByFlux = map[string]string{"kustomize.toolkit.fluxcd.io/ssa": "Merge"}

// TestFluxWithoutMergeRevertsNoPromotion holds that a Flux without the annotation takes
// the request's annotations away once, and that the promotion stays.
func TestFluxWithoutMergeRevertsNoPromotion(t *testing.T) {
	peers.Need(t)
	t.Parallel()
	g := &git{world: newWorld(t), serverSide: true, tool: flux{}}
	g.commitHandler(g.makeLongCanary("v1").Obj())
	g.awaitPhase("users", "v1 100", v1.RolloutStable)
	g.commitHandler(g.makeLongCanary("v2").Obj())
	g.awaitPhase("users", "v1 90 v2 10", v1.RolloutProgressing)
	g.requestAsAdmin("users", "promote")
	g.awaitPhase("users", "v1 50 v2 50", v1.RolloutProgressing)
	if got := (flux{}).applyFile(g).Action; got != "configured" {
		t.Errorf("Flux says %q of the request's annotations, want configured", got)
	}
	if h := g.readHandler("users"); h.Annotations[v1.AnnotationRequest] != "" {
		t.Errorf("the request %s is left", h.Annotations[v1.AnnotationRequest])
	}
	g.assertReapplyChangesNothing("at the second step")
	g.awaitPhase("users", "v1 50 v2 50", v1.RolloutProgressing)
}

// kstatus has what Flux makes of a health in Argo CD's words.
var kstatus = map[string]string{"Healthy": "Current", "Progressing": "InProgress", "Suspended": "InProgress", "Degraded": "Failed"}

// flux is kustomize-controller.
type flux struct{}

// applied is what Flux did, and what it makes of the object.
type applied struct{ Action, Health, Message string }

func (flux) applyFile(g *git) (out applied) {
	g.t.Helper()
	g.decodeJSON(g.runProgram("flux", g.file), &out)
	return out
}

func (f flux) syncFile(g *git) {
	g.t.Helper()
	f.applyFile(g)
}

func (f flux) assertHealth(g *git, phase string) {
	g.t.Helper()
	g.eventually("right health for Flux: "+phase, func() error {
		got := f.applyFile(g)
		if got.Action != "unchanged" {
			g.t.Errorf("%s: Flux says %s", phase, got.Action)
		}
		return checkHealth(kstatus[healths[phase]], got.Health, got.Message)
	})
}

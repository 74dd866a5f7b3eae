package rollout_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/soak"
)

// TestTheSameManifestChangesNothing applies what Git has once more in every phase,
// as kubectl does: there is nothing to change, and no conflict. TestArgoCDSeesNoDrift and
// TestFluxSeesNoDrift do so by the code of each. The short form has one case in four, its
// long form all.
func TestTheSameManifestChangesNothing(t *testing.T) {
	t.Parallel()
	chosen := soak.Share(t, "theSameManifestChangesNothing", 4)
	for _, tc := range []struct {
		name       string
		phases     func(*git)
		serverSide bool
	}{
		{"starting three-way", startingOfGit, false},
		{"rolling three-way", rollingOfGit, false},
		{"manual three-way", manualOfGit, false},
		{"canary three-way", canaryOfGit, false},
		{"canary server-side", canaryOfGit, true}, // Argo CD and Flux apply the other stories so.
	} {
		if !chosen() {
			continue
		}
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.phases(&git{world: newWorld(t), serverSide: tc.serverSide})
		})
	}
}

// startingOfGit has a first version that does not come up.
func startingOfGit(g *git) {
	g.commitHandler(g.makeLongCanary("v1").Spec(func(s *v1.GatiHandlerSpec) {
		s.Pod = &v1.PodSettings{NodeSelector: map[string]string{"there": "is-none"}}
	}).Obj())
	g.awaitStory("users", "is starting")
	g.assertReapplyChangesNothing("first, starting")
}

// canaryOfGit takes a canary through its phases.
func canaryOfGit(g *git) {
	g.commitHandler(g.makeLongCanary("v1").Obj())
	g.awaitPhase("users", "v1 100", v1.RolloutStable)
	g.assertReapplyChangesNothing("first, stable")

	g.commitHandler(g.makeLongCanary("v2").Obj())
	g.awaitPhase("users", "v1 90 v2 10", v1.RolloutProgressing)
	g.assertReapplyChangesNothing("at the first step")
	g.requestAsAdmin("users", "pause")
	g.awaitStory("users", "Paused by")
	g.assertReapplyChangesNothing("frozen")
	g.requestAsAdmin("users", "resume")
	g.requestAsAdmin("users", "promote")
	g.awaitPhase("users", "v1 50 v2 50", v1.RolloutProgressing)
	g.assertReapplyChangesNothing("at the second step")

	g.commitHandler(g.makeLongCanary("v3").Obj())
	g.awaitPhase("users", "v1 90 v2 0 v3 10", v1.RolloutProgressing)
	g.assertReapplyChangesNothing("superseded")
	g.requestAsAdmin("users", "abort")
	if h := g.awaitPhase("users", "v1 100 v2 0 v3 0", v1.RolloutStable); len(h.Status.Rollout.Rejected) == 0 {
		g.t.Errorf("v3 is not rejected:\n%s", describeHandler(h))
	}
	g.assertReapplyChangesNothing("rejected")

	g.commitHandler(g.makeLongCanary("v4").Obj())
	g.awaitPhase("users", "v1 90 v2 0 v3 0 v4 10", v1.RolloutProgressing)
	g.requestAsAdmin("users", "promote:full")
	g.awaitPhase("users", "v1 0 v2 0 v3 0 v4 100", v1.RolloutStable)
	g.assertReapplyChangesNothing("draining")
	g.requestAsAdmin("users", "rollback")
	if h := g.awaitPhase("users", "v1 100 v2 0 v3 0 v4 0", v1.RolloutStable); h.Status.Rollout.Pinned == nil {
		g.t.Errorf("v1 is not pinned:\n%s", describeHandler(h))
	}
	g.assertReapplyChangesNothing("rolled back, pinned")
	g.changeHandler("users", func(h *v1.GatiHandler) { metav1.SetMetaDataLabel(&h.ObjectMeta, "somebody", "else") })
	g.assertReapplyChangesNothing("labelled by another manager")
	g.commitHandler(g.makeLongCanary("v1").Obj())
	g.awaitPhase("users", "v1 100 v2 0 v3 0 v4 0", v1.RolloutStable)
	g.assertReapplyChangesNothing("reverted in Git")
}

// manualOfGit has two versions share the traffic by their records.
func manualOfGit(g *git) {
	manual := func(version string) *v1.GatiHandler { return g.makeCanary(version).Strategy(v1.StrategyManual).Obj() }
	g.commitHandler(manual("v1"))
	g.awaitPhase("users", "v1 100", v1.RolloutStable)
	g.commitHandler(manual("v2"))
	g.awaitPhase("users", "v1 100 v2 0", v1.RolloutStable)
	g.assertReapplyChangesNothing("manual, the new version without traffic")
	g.setTrafficShare("users-v1", 70)
	g.setTrafficShare("users-v2", 30)
	g.awaitPhase("users", "v1 70 v2 30", v1.RolloutStable)
	g.assertReapplyChangesNothing("manual, 70/30")
}

// rollingOfGit replaces pods in place.
func rollingOfGit(g *git) {
	rolling := func(version string) *v1.GatiHandler {
		return g.makeCanary(version).Strategy(v1.StrategyRollingUpdate).Spec(func(s *v1.GatiHandlerSpec) {
			s.Env = []corev1.EnvVar{{Name: "LEVEL", Value: "debug"}}
		}).Obj()
	}
	g.commitHandler(rolling("v1"))
	g.eventually("the first version", func() error { return g.fullyRuns("handler-users", "v1", 4) })
	stuck := rolling("v2")
	stuck.Spec.Pod = &v1.PodSettings{NodeSelector: map[string]string{"there": "is-none"}}
	g.commitHandler(stuck)
	g.awaitStory("users", "Reconciling=True")
	g.assertReapplyChangesNothing("rolling")
	g.commitHandler(rolling("v2"))
	g.eventually("the second version", func() error { return g.fullyRuns("handler-users", "v2", 4) })
	g.assertReapplyChangesNothing("rolled")
}

// git is a repository that is applied again and again.
type git struct {
	*world
	serverSide bool
	// tool applies and judges in the place of kubectl, if there is one.
	tool gitTool
	// annotations are those that the repository has.
	annotations map[string]string
	head        *v1.GatiHandler
	file        string
}

// commitHandler changes what the repository has, and applies it.
func (g *git) commitHandler(h *v1.GatiHandler) {
	g.t.Helper()
	h.Namespace = g.ns
	g.head, g.file = h, filepath.Join(g.t.TempDir(), "handler.json")
	if err := os.WriteFile(g.file, g.renderManifest(), 0o600); err != nil {
		g.t.Fatal(err)
	}
	g.applyManifest()
}

// renderManifest returns the file in the repository: no status, and nothing that is empty.
func (g *git) renderManifest() []byte {
	g.t.Helper()
	text, err := json.Marshal(map[string]any{
		"apiVersion": v1.GroupVersion.String(), "kind": "GatiHandler",
		"metadata": map[string]any{"name": g.head.Name, "namespace": g.ns, "annotations": g.annotations}, "spec": g.head.Spec,
	})
	if err != nil {
		g.t.Fatal(err)
	}
	return text
}

func (g *git) applyManifest() string {
	g.t.Helper()
	if g.tool != nil {
		g.tool.syncFile(g)
		return ""
	}
	args := []string{"apply", "-f", g.file}
	if g.serverSide {
		args = append(args, "--server-side", "--field-manager=argocd-controller")
	}
	out, err := cluster.Run(g.t.Context(), "", args...)
	if err != nil {
		g.t.Fatal(err)
	}
	return out
}

// assertReapplyChangesNothing holds that applying again what was applied last changes nothing.
func (g *git) assertReapplyChangesNothing(phase string) {
	g.t.Helper()
	before := g.readHandler("users")
	if !g.serverSide {
		if patch := g.threeWayPatch(before); patch != "{}" {
			g.t.Errorf("%s: the three-way patch is %s", phase, patch)
		}
	}
	out := g.applyManifest()
	if want := "gatihandler.gati.dev/users unchanged\n"; !g.serverSide && out != want {
		g.t.Errorf("%s: kubectl apply says %q", phase, out)
	}
	after := g.readHandler("users")
	if before.Generation != after.Generation {
		g.t.Errorf("%s: generation %d became %d", phase, before.Generation, after.Generation)
	}
	if diff := cmp.Diff(userFields(before), userFields(after)); diff != "" {
		g.t.Errorf("%s: (-before +after)\n%s", phase, diff)
	}
	if g.tool != nil {
		g.tool.assertHealth(g, phase)
	}
}

// threeWayPatch returns the patch that kubectl apply would send.
func (g *git) threeWayPatch(live *v1.GatiHandler) string {
	g.t.Helper()
	const last = corev1.LastAppliedConfigAnnotation
	manifest := map[string]any{}
	if err := json.Unmarshal(g.renderManifest(), &manifest); err != nil {
		g.t.Fatal(err)
	}
	// kubectl notes what it applies in what it applies.
	manifest["metadata"].(map[string]any)["annotations"] = map[string]any{last: live.Annotations[last]}
	modified, err := json.Marshal(manifest)
	if err != nil {
		g.t.Fatal(err)
	}
	live = live.DeepCopy()
	live.SetGroupVersionKind(v1.GroupVersion.WithKind("GatiHandler")) // The client drops it.
	current, err := json.Marshal(live)
	if err != nil {
		g.t.Fatal(err)
	}
	patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch([]byte(live.Annotations[last]), modified, current)
	if err != nil {
		g.t.Fatal(err)
	}
	return string(patch)
}

// userFields is the part of a handler that users set.
func userFields(h *v1.GatiHandler) any {
	return []any{h.Spec, h.Annotations, h.Labels, h.Finalizers}
}

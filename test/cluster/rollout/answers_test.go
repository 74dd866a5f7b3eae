package rollout_test

import (
	"slices"
	"testing"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/soak"
)

// scene is where a handler is when a user asks for something.
type scene struct {
	// at is the resulting state: see describeEffect.
	at string
	// versions are declared one after the other; each is waited for.
	versions []declared
	// of is the handler that declares a version.
	of func(w *world, version string) *builders.Handler
}

// declared is a version and what the handler comes to with it.
type declared struct{ version, at string }

// answer is the outcome of a request by a user who may make it.
type answer struct {
	ask string
	// before is asked for first.
	before string
	// says is the controller's answer, or the policy where byPolicy is set.
	says              string
	refused, byPolicy bool
	// then is the handler's resulting state, unchanged if empty.
	then string
}

const (
	frozen      = "paused until resumed; a failure still rolls back"
	thawed      = "resumed; it was paused by may"
	notPaused   = "not paused"
	notRunning  = "no rollout is running"
	nothingHeld = "nothing holds the declared version back"
	backToV1    = "rolls back to v1 and stays there until the spec changes"
	backToV2    = "rolls back to v2 and stays there until the spec changes"
	aborted     = "v3 is rolled back to v1"
	all         = "replaces the pods of 3 workloads"
	leaves      = "v2 is removed once it has drained"
	noSteps     = "v2 has no steps to skip: traffic moves to it as its pods become ready"
	setTraffic  = "promote belongs to the strategy Canary, and spec.rollout.strategy is Manual; set the traffic of the versions instead, as does: kubectl gati version set-traffic "
)

// rollingScene has a first version that serves, and a second whose pods do not come
// up, so that its rolling update lasts.
var rollingScene = scene{
	at:       "v1 0 v2 100 Progressing",
	versions: []declared{{"v1", "v1 100 Stable"}, {"v2", "v1 0 v2 100 Progressing"}},
	of: func(w *world, version string) *builders.Handler {
		h := w.makeLongCanary(version).Replicas(2).Strategy(v1.StrategyRollingUpdate)
		if version == "v2" {
			h.Spec(func(s *v1.GatiHandlerSpec) {
				s.Pod = &v1.PodSettings{NodeSelector: map[string]string{"there": "is-none"}}
			})
		}
		return h
	},
}

var rollingAnswers = []answer{
	{ask: "promote", says: noSteps, refused: true},
	{ask: "promote:full", says: noSteps, refused: true},
	{ask: "pause", says: frozen, then: "v1 0 v2 100 Progressing, frozen"},
	{ask: "resume", says: notPaused, refused: true},
	{ask: "resume", before: "pause", says: thawed},
	{ask: "abort", says: "v2 is rolled back to v1", then: "v1 100 Stable, rejected v2"},
	{ask: "retry", before: "abort", says: "v2 is tried again; it was rejected: aborted by may"},
	{ask: "rollback", says: backToV1, then: "v1 100 Stable, pinned v1, rejected v2"},
	{ask: "rollback:v1", says: backToV1, then: "v1 100 Stable, pinned v1, rejected v2"},
	{ask: "restart", says: "replaces the pods of 1 workload", then: "v1 0 v2 100 Progressing, restarted v2"},
	{ask: "decommission:v1", says: "v1 cannot be removed: it is the stable version", refused: true},
	{ask: "override:allow-breaking", says: nothingHeld, refused: true},
}

// canaryScene has a canary in its first step, and beside it a version that another
// took the place of before it had served.
var canaryScene = scene{
	at:       "v1 90 v2 0 v3 10 Progressing",
	versions: []declared{{"v1", "v1 100 Stable"}, {"v2", "v1 90 v2 10 Progressing"}, {"v3", "v1 90 v2 0 v3 10 Progressing"}},
	of: func(w *world, version string) *builders.Handler {
		return w.makeLongCanary(version).Replicas(2).Spec(keepVersions)
	},
}

var canaryAnswers = []answer{
	{ask: "promote", says: "v3 moves from step 1 (10 %) to step 2 (50 %)", then: "v1 50 v2 0 v3 50 Progressing"},
	{ask: "promote:full", says: "v3 moves from step 1 (10 %) to step 3 (100 %)", then: "v1 0 v2 0 v3 100 Stable"},
	{ask: "pause", says: frozen, then: "v1 90 v2 0 v3 10 Progressing, frozen"},
	{ask: "resume", says: notPaused, refused: true},
	{ask: "resume", before: "pause", says: thawed},
	{ask: "abort", says: aborted, then: "v1 100 v2 0 v3 0 Stable, rejected v3"},
	{ask: "retry", says: "v3 is already being rolled out", refused: true},
	{ask: "retry", before: "abort", says: "v3 is tried again; it was rejected: aborted by may"},
	{ask: "rollback", says: backToV1, then: "v1 100 v2 0 v3 0 Stable, pinned v1, rejected v3"},
	{ask: "rollback:v2", says: backToV2, then: "v1 0 v2 100 v3 0 Stable, pinned v2"},
	{ask: "restart", says: all, then: "v1 90 v2 0 v3 10 Progressing, restarted v1 v2 v3"},
	{ask: "decommission:v2", says: leaves, then: "v1 90 v3 10 Progressing"},
	{ask: "decommission:v3", says: "v3 cannot be removed: it is being rolled out", refused: true},
	{ask: "override:allow-breaking", says: nothingHeld, refused: true},
}

// splitScene is that of a canary without a gateway, where pods are the traffic.
var splitScene = scene{
	at:       "v1 75 v2 0 v3 25 Progressing",
	versions: []declared{{"v1", "v1 100 Stable"}, {"v2", "v1 75 v2 25 Progressing"}, {"v3", "v1 75 v2 0 v3 25 Progressing"}},
	of: func(w *world, version string) *builders.Handler {
		return w.makeLongCanary(version).Spec(keepVersions).Spec(func(s *v1.GatiHandlerSpec) { s.Route, s.Rollout.Steps[0].Weight = nil, 25 })
	},
}

var splitAnswers = []answer{
	{ask: "promote", says: "v3 moves from step 1 (25 %) to step 2 (50 %)", then: "v1 50 v2 0 v3 50 Progressing"},
	{ask: "promote:full", says: "v3 moves from step 1 (25 %) to step 3 (100 %)", then: "v1 0 v2 0 v3 100 Stable"},
	{ask: "pause", says: frozen, then: "v1 75 v2 0 v3 25 Progressing, frozen"},
	{ask: "resume", says: notPaused, refused: true},
	{ask: "resume", before: "pause", says: thawed},
	{ask: "abort", says: aborted, then: "v1 100 v2 0 v3 0 Stable, rejected v3"},
	{ask: "retry", says: "v3 is already being rolled out", refused: true},
	{ask: "retry", before: "abort", says: "v3 is tried again; it was rejected: aborted by may"},
	{ask: "rollback", says: backToV1, then: "v1 100 v2 0 v3 0 Stable, pinned v1, rejected v3"},
	{ask: "rollback:v2", says: backToV2, then: "v1 0 v2 100 v3 0 Stable, pinned v2"},
	{ask: "restart", says: all, then: "v1 75 v2 0 v3 25 Progressing, restarted v1 v2 v3"},
	{ask: "decommission:v2", says: leaves, then: "v1 75 v3 25 Progressing"},
	{ask: "decommission:v3", says: "v3 cannot be removed: it is being rolled out", refused: true},
	{ask: "override:allow-breaking", says: nothingHeld, refused: true},
}

// manualScene has three versions of which the first has all of the traffic.
var manualScene = scene{
	at:       "v1 100 v2 0 v3 0 Stable",
	versions: []declared{{"v1", "v1 100 Stable"}, {"v2", "v1 100 v2 0 Stable"}, {"v3", "v1 100 v2 0 v3 0 Stable"}},
	of: func(w *world, version string) *builders.Handler {
		return w.makeLongCanary(version).Replicas(2).Spec(keepVersions).Strategy(v1.StrategyManual)
	},
}

var manualAnswers = []answer{
	{ask: "promote", says: setTraffic, byPolicy: true},
	{ask: "promote:full", says: setTraffic, byPolicy: true},
	{ask: "pause", says: frozen, then: "v1 100 v2 0 v3 0 Stable, frozen"},
	{ask: "resume", says: notPaused, refused: true},
	{ask: "resume", before: "pause", says: thawed},
	{ask: "abort", says: notRunning, refused: true},
	{ask: "retry", says: "v3 was neither rejected nor rolled back", refused: true},
	{ask: "rollback", says: "no earlier version", refused: true},
	{ask: "rollback:v2", says: backToV2, then: "v1 0 v2 100 v3 0 Stable, pinned v2"},
	{ask: "restart", says: all, then: "v1 100 v2 0 v3 0 Stable, restarted v1 v2 v3"},
	{ask: "decommission:v2", says: leaves, then: "v1 100 v3 0 Stable"},
	{ask: "decommission:v1", says: "v1 cannot be removed: it is the stable version", refused: true},
	{ask: "override:allow-breaking", says: nothingHeld, refused: true},
}

// keepVersions keeps versions until a request removes them, and shortens drains.
func keepVersions(s *v1.GatiHandlerSpec) { s.Versions.MinAge, s.Versions.Drain.Deadline = "1h", "2s" }

// TestAnswers is the table of what comes of each request under each strategy: one
// who may not make it is refused by the policy, and of one who may it has what the
// policy or the controller answers and what the handler comes to. The short form asks
// for one thing in five, and pkg/rollout has the decisions of all;
// "make soak NAME=answers" asks for all.
func TestAnswers(t *testing.T) {
	t.Parallel()
	chosen := soak.Share(t, "answers", 5)
	for _, tc := range []struct {
		strategy string
		scene    scene
		answers  []answer
	}{
		{"RollingUpdate", rollingScene, rollingAnswers},
		{"Canary", canaryScene, canaryAnswers},
		{"Canary without a gateway", splitScene, splitAnswers},
		{"Manual", manualScene, manualAnswers},
	} {
		asked := slices.DeleteFunc(slices.Clone(tc.answers), func(answer) bool { return !chosen() })
		t.Run(tc.strategy, func(t *testing.T) {
			t.Parallel()
			s := stageHandlers(newWorld(t), tc.scene, handlersFor(asked))
			for i, a := range asked {
				s.assertAnswers(handlersFor(asked[:i+1])-1, a)
			}
		})
	}
}

// handlersFor returns how many handlers answers need, the last of them for the last
// answer: what leaves a handler as it was shares one with the answer before.
func handlersFor(answers []answer) int {
	n, changed := 1, false
	for _, a := range answers {
		if changed {
			n++
		}
		changed = a.then != ""
	}
	return n
}

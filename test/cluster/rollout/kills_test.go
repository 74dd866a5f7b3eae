package rollout_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/local"
	"gati.dev/gati/internal/testing/random"
	"gati.dev/gati/internal/testing/soak"
)

const (
	// killedWithin bounds a canary whose controllers are killed at every step.
	killedWithin = 4 * time.Minute
	// fewestKills is how often a canary changes at the least.
	fewestKills = 6
)

// TestKills kills gati-webhook at every step of a canary, at once or a moment
// after it was decided: the rollout ends as an undisturbed one does, and no weight is raised early on the way. GATI_SOAK=kills does so 20
// times. It has gati-webhook to itself.
func TestKills(t *testing.T) {
	moments, mortal := random.Moments(t), mortalWebhook(t)
	want := canaryUnder(newWorld(t), func() {})
	runs := 1
	if soak.IsLong("kills") {
		runs = 20
	}
	for i := range runs {
		t.Run(fmt.Sprintf("run %d", i+1), func(t *testing.T) {
			kills := 0
			got := canaryUnder(newWorld(t), func() {
				// From the middle of a write to well after all of them.
				time.Sleep(time.Millisecond << moments.Intn(11))
				if err := mortal.Kill(); err != nil {
					t.Fatal(err)
				}
				if err := mortal.Start(t.Context()); err != nil {
					t.Fatal(err)
				}
				kills++
			})
			t.Logf("%d kills", kills)
			if kills < fewestKills {
				t.Errorf("%d kills, want one at each step, so at least %d", kills, fewestKills)
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("what came of it (-undisturbed +killed):\n%s", diff)
			}
		})
	}
}

// mortalWebhook takes the place of the shared gati-webhook during a test. It elects
// no leader: a lease would keep its controllers idle for most of their short lives.
func mortalWebhook(t *testing.T, flags ...string) *local.Webhook {
	t.Helper()
	if err := webhook.Stop(); err != nil {
		t.Fatal(err)
	}
	w, err := local.Prepare(cluster, filepath.Dir(webhook.LogPath()), append(flags, "--leader-elect=false")...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Stop(); err != nil {
			t.Error(err)
		}
		if err := webhook.Start(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

// outcome is the result of a canary.
type outcome struct {
	// History is who did what, Decided and Routed the weights one after the other.
	History, Decided, Routed []string
	// Workloads are those that are left.
	Workloads []string
}

// canaryUnder takes a handler from v1 to v2 and calls disturb whenever its weights
// or what is accepted of them have changed.
func canaryUnder(w *world, disturb func()) outcome {
	w.t.Helper()
	w.applyHandler(w.makeCanary("v1").Obj())
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	w.awaitRouteWeights("users", "handler-users--v1 100")
	handlers, routes := w.recordHandler("users"), recordObject[*gatewayv1.HTTPRoute](w, &gatewayv1.HTTPRouteList{}, "handler-users")
	w.applyHandler(w.makeCanary("v2").Obj())

	changes, deadline := 1, time.Now().Add(killedWithin)
	for now := ""; now != "v2 100"; time.Sleep(time.Millisecond) {
		passed := distinctStates(handlers.statesSoFar(), acceptedWeights)
		if len(passed) > changes {
			changes = len(passed)
			disturb()
		}
		if len(passed) > 0 {
			now = passed[len(passed)-1]
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("within %s it came as far as\n%s\n%s", killedWithin, strings.Join(passed, "\n"), describeHandler(w.readHandler("users")))
		}
	}
	h := w.awaitPhase("users", "v2 100", v1.RolloutStable)
	frames := handlers.awaitStatesUntil(h)
	assertAwaitsAcceptance(w.t, frames, "v2")
	assertPausesHeld(w.t, frames, 2*time.Second)
	w.eventually("the end of the workload of v1", func() error {
		if left := w.listDeployments(); len(left) != 1 {
			return errors.New(strings.Join(left, ", "))
		}
		return nil
	})
	return outcome{
		History: historyLines(h), Decided: distinctStates(frames, decidedWeights), Routed: distinctStates(routes.statesSoFar(), routedWeights), Workloads: w.listDeployments(),
	}
}

// historyLines is the history without its times and numbers.
func historyLines(h *v1.GatiHandler) []string {
	var out []string
	for _, e := range h.Status.Rollout.History {
		out = append(out, fmt.Sprintf("%s %s %s → %s", e.By, e.What, e.From, e.To))
	}
	return out
}

// assertPausesHeld holds that each step but the first came when the pause of the one before
// was over.
func assertPausesHeld(t *testing.T, frames []*v1.GatiHandler, pause time.Duration) {
	t.Helper()
	var since time.Time
	taken, held := 0, 0
	for _, h := range frames {
		ro := h.Status.Rollout
		steps := slices.DeleteFunc(slices.Clone(ro.History), func(e v1.HistoryEntry) bool { return e.What != "Step" })
		if len(steps) > taken && !since.IsZero() {
			if early := since.Add(pause).Sub(steps[len(steps)-1].At.Time); early > 0 {
				t.Errorf("a step was taken %s early:\n%s", early, describeHandler(h))
			}
			since, held = time.Time{}, held+1
		}
		if taken = len(steps); ro.Phase == v1.RolloutProgressing && ro.StepStartedAt != nil {
			since = ro.StepStartedAt.Time
		}
	}
	if held == 0 {
		t.Error("no step was taken after a pause")
	}
}

// decidedWeights are the weights of the live versions, accepted or not.
func decidedWeights(h *v1.GatiHandler) string {
	var out []string
	for _, v := range h.Status.Versions {
		if v.Phase != v1.VersionDecommissioned {
			out = append(out, fmt.Sprintf("%s %d", unitTitle(v), v.Weight))
		}
	}
	return strings.Join(out, " ")
}

// routedWeights are the weights in the rule without a pin.
func routedWeights(r *gatewayv1.HTTPRoute) string {
	var out []string
	for _, b := range r.Spec.Rules[0].BackendRefs {
		out = append(out, fmt.Sprintf("%s %d", b.Name, *b.Weight))
	}
	slices.SortFunc(out, cmp.Compare[string])
	return strings.Join(out, " ")
}

// awaitRouteWeights waits until the route of a handler has these weights.
func (w *world) awaitRouteWeights(name, weights string) {
	w.t.Helper()
	w.eventually("a route with "+weights, func() error {
		route := &gatewayv1.HTTPRoute{}
		if err := admin.Get(w.t.Context(), client.ObjectKey{Namespace: w.ns, Name: "handler-" + name}, route); err != nil {
			return err
		}
		if got := routedWeights(route); got != weights {
			return errors.New(got)
		}
		return nil
	})
}

// listDeployments returns the Deployments of a world's namespace.
func (w *world) listDeployments() []string {
	w.t.Helper()
	var list appsv1.DeploymentList
	if err := admin.List(w.t.Context(), &list, client.InNamespace(w.ns)); err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for i := range list.Items {
		out = append(out, list.Items[i].Name)
	}
	return out
}

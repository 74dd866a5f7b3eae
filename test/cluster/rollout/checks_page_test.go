package rollout_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/gateway"
	"gati.dev/gati/test/support/page"
)

// TestChecksPage does what docs/checks.md says, in order. Before the promotion that it
// types, v2 waits for a check that no node has room for.
func TestChecksPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gateways.Set("public", gateway.Behavior{})
	term, applied := page.Open(t, cluster, w.ns), 0
	for _, b := range page.Read(t, "docs/checks.md") {
		switch b.Kind {
		case "yaml":
			term.Save(b)
		case "sh":
			if strings.Contains(b.Text, "promote") {
				w.declareUncheckable()
			}
			printed := term.Type(b.Text)
			applied += strings.Count(printed, "gatihandler.gati.dev/users created")
		default:
			t.Errorf("a block of the kind %q, which nothing does", b.Kind)
		}
	}
	if applied != 2 {
		t.Errorf("users was created %d times, want once and in a dry run", applied)
	}
	w.awaitDecidedWeights("users", "v1 90 v2 10")
	if s := w.readHandler("users").Status.Rollout.Checks; len(s) != 1 || s[0].Name != "smoke" || s[0].Verdict != v1.CheckSkipped {
		t.Errorf("%+v, want that smoke was skipped", s)
	}
}

// declareUncheckable declares v2 of the handler of the page with a check that finds no node,
// and waits until it runs.
func (w *world) declareUncheckable() {
	w.t.Helper()
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	w.changeHandler("users", func(h *v1.GatiHandler) {
		h.Spec.Version, h.Spec.Image = "v2", "registry.example.com/users:v2"
		smoke := &h.Spec.Rollout.Checks[0]
		smoke.Timeout = "1h"
		smoke.Job.Resources = &v1.Resources{Requests: corev1.ResourceList{"cpu": resource.MustParse("9k")}}
	})
	w.awaitStory("users", "its check smoke runs in Job handler-users-smoke-")
}

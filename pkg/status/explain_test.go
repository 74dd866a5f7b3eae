package status_test

import (
	"testing"

	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/status"
)

// TestExplainCause holds which link of the chain is named as the cause in each
// scenario, and that a handler that is healthy has none.
func TestExplainCause(t *testing.T) {
	want := map[string]string{
		"progressing": "pods", "image-pull": "pods", "crash-loop": "pods", "quota": "pods",
		"stalled": "children", "deleting": "seen", "never-seen": "seen", "behind": "seen",
		"rollout-analysis": "rollout", "rollout-check": "rollout", "rollout-step": "rollout", "rollout-promotion": "rollout", "rollout-frozen": "rollout",
		"rollout-short": "pods", "rollout-back": "rollout", "rollout-rejected": "rollout",
		"rollout-failed": "rollout", "rollout-refused": "rollout", "rollout-lag": "rollout",
		"rollout-split": "rollout", "rollout-pinned": "rollout", "held": "rollout",
		"webhook-down": "seen", "no-gateway": "children", "invalid": "accepted",
	}
	for name, objs := range statustest.Scenarios() {
		t.Run(name, func(t *testing.T) {
			s := status.Build(objs, statustest.Now)
			for i := range s.Handlers {
				h := &s.Handlers[i]
				e := s.ExplainHandler(h)
				got := ""
				if e.Cause != nil {
					got = e.Cause.Name
				}
				if h.Name == "users" && got != want[name] {
					t.Errorf("the cause is %q, want %q: %+v", got, want[name], e)
				}
				if h.Health == status.Healthy && e.Cause != nil {
					t.Errorf("healthy, and still %+v", e.Cause)
				}
				for _, l := range e.Links {
					if l.Evidence == "" || l.State != status.Holds && l.Next == "" {
						t.Errorf("a link without evidence, or without what to do: %+v", l)
					}
				}
			}
		})
	}
}

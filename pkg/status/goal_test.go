package status_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/status"
)

func TestParseGoal(t *testing.T) {
	for _, text := range []string{"healthy", "paused", "complete", "step=2", "version=v1.2.0", "version=tsv:1732186200-users-001"} {
		g, err := status.ParseGoal(text)
		if err != nil || g.String() != text {
			t.Errorf("%q becomes %q, %v", text, g, err)
		}
	}
	for _, text := range []string{"", "well", "healthy=yes", "step", "step=", "step=0", "step=-1", "step=two", "version", "version="} {
		if g, err := status.ParseGoal(text); err == nil {
			t.Errorf("%q is taken for %q", text, g)
		}
	}
}

// TestGoals holds what comes of each goal in each scenario. A scenario that is not
// listed under a goal is on its way there.
func TestGoals(t *testing.T) {
	settled := map[status.Outcome][]string{
		status.Reached: {"healthy", "module-denied", "no-permission", "unbound", "frozen-idle", "draining", "rollout-watched", "contract", "draining-called", "draining-silent", "draining-zero", "rollout-manual"},
		status.Waiting: {"rollout-promotion", "rollout-frozen", "held"},
		status.Missed:  {"stalled", "invalid", "no-gateway", "rollout-rejected", "rollout-failed", "rollout-pinned"},
	}
	cases := map[string]map[status.Outcome][]string{
		"":        settled,
		"healthy": settled,
		"paused": {
			status.Reached: {"rollout-promotion", "rollout-frozen"},
			status.Waiting: {"held"},
			status.Missed: {
				"healthy", "module-denied", "no-permission", "unbound", "frozen-idle", "draining", "rollout-watched", "contract", "draining-called", "draining-silent", "draining-zero", "rollout-manual",
				"stalled", "invalid", "no-gateway", "rollout-rejected", "rollout-failed", "rollout-pinned",
			},
		},
		"complete": {
			status.Reached: {"healthy", "module-denied", "no-permission", "unbound", "frozen-idle", "draining", "rollout-watched", "contract", "draining-called", "draining-silent", "draining-zero", "rollout-manual"},
			status.Waiting: {"rollout-promotion", "rollout-frozen", "held"},
			status.Missed:  {"stalled", "invalid", "no-gateway", "rollout-rejected", "rollout-failed", "rollout-pinned"},
		},
		"step=1": {
			status.Reached: {"rollout-step", "rollout-analysis", "rollout-promotion", "rollout-frozen", "rollout-short", "rollout-lag", "rollout-split", "rollout-failed", "draining", "rollout-watched", "contract", "draining-called", "draining-silent", "draining-zero"},
			status.Waiting: {"held"},
			status.Missed:  {"rollout-rejected", "rollout-pinned"},
		},
		"step=2": {
			status.Reached: {"rollout-step", "rollout-analysis", "draining", "rollout-watched", "contract", "draining-called", "draining-silent", "draining-zero"},
			status.Waiting: {"rollout-promotion", "rollout-frozen", "held"},
			status.Missed:  {"rollout-rejected", "rollout-pinned", "rollout-failed"},
		},
		"version=v1.0.0": {
			status.Reached: {"frozen-idle", "rollout-manual", "rollout-rejected", "rollout-pinned"},
			status.Waiting: {"rollout-promotion", "rollout-frozen", "held"},
			status.Missed:  {"healthy", "module-denied", "no-permission", "unbound", "stalled", "invalid", "no-gateway", "rollout-failed", "draining", "rollout-watched", "contract", "draining-called", "draining-silent", "draining-zero"},
		},
		"version=v2.0.0": {
			status.Reached: {"draining", "rollout-watched", "contract", "draining-called", "draining-silent", "draining-zero", "rollout-manual"},
			status.Waiting: {"rollout-promotion", "rollout-frozen", "held"},
			status.Missed: {
				"healthy", "module-denied", "no-permission", "unbound", "stalled", "invalid", "no-gateway", "frozen-idle",
				"rollout-failed", "rollout-rejected", "rollout-pinned",
			},
		},
	}
	for text, outcomes := range cases {
		var goal status.Goal
		if text != "" {
			var err error
			if goal, err = status.ParseGoal(text); err != nil {
				t.Fatal(err)
			}
		}
		want := map[string]status.Outcome{}
		for outcome, names := range outcomes {
			for _, name := range names {
				want[name] = outcome
			}
		}
		for name, objs := range statustest.Scenarios() {
			t.Run(text+"/"+name, func(t *testing.T) {
				for _, h := range status.Build(objs, statustest.Now).Handlers {
					isStep := text == "step=1" || text == "step=2"
					if isStep && h.Strategy != v1.StrategyCanary {
						want[name] = status.Missed // without steps, none is reached
						if !h.Observed {
							want[name] = status.Coming
						}
					}
					if got := goal.JudgeHandler(&h); h.Name == "users" && got != want[name] {
						t.Errorf("outcome %d, want %d (%s: %s)", got, want[name], h.Health, h.Reason)
					}
				}
			})
		}
	}
}

// TestGoalsBeforeTheControllerLooks holds that nothing is reached, nor missed, by
// what is said of an earlier spec.
func TestGoalsBeforeTheControllerLooks(t *testing.T) {
	for name, objs := range statustest.Scenarios() {
		for i := range objs.Handlers {
			objs.Handlers[i].Generation = 7
		}
		for _, text := range status.Goals {
			switch text[len(text)-1] {
			case '=':
				text += "1"
			}
			goal, err := status.ParseGoal(text)
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range status.Build(objs, statustest.Now).Handlers {
				if got := goal.JudgeHandler(&h); got != status.Coming {
					t.Errorf("%s, --for=%s: outcome %d", name, text, got)
				}
			}
		}
	}
}

// A step beyond those of the spec is never reached, whether or not a rollout runs, and
// whether or not the controller has seen the spec.
func TestGoalsBeyondTheSteps(t *testing.T) {
	goal, err := status.ParseGoal("step=9")
	if err != nil {
		t.Fatal(err)
	}
	for name, objs := range statustest.Scenarios() {
		for i := range objs.Handlers {
			h := &objs.Handlers[i]
			if h.Spec.Rollout == nil || h.Spec.Rollout.Strategy != v1.StrategyCanary {
				continue
			}
			for _, generation := range []int64{h.Generation, 7} {
				h.Generation = generation
				view := &status.Build(objs, statustest.Now).Handlers[i]
				if got := goal.JudgeHandler(view); got != status.Missed || goal.Beyond(view) == "" {
					t.Errorf("%s, generation %d: outcome %d, %q", name, generation, got, goal.Beyond(view))
				}
			}
		}
	}
}

// TestGoalsOfModules holds that a module is waited for by its health, and that it
// has no steps and no versions.
func TestGoalsOfModules(t *testing.T) {
	want := map[string]status.Outcome{
		"healthy": status.Reached, "complete": status.Reached,
		"paused": status.Missed, "step=1": status.Missed, "version=v1": status.Missed,
	}
	ready := statustest.Healthy()
	starting := statustest.Healthy()
	starting.Deployments[1].Status.ReadyReplicas = 0
	starting.Modules[0].Status.Conditions[0].Status = metav1.ConditionFalse
	for text, outcome := range want {
		goal, err := status.ParseGoal(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := goal.JudgeModule(&status.Build(ready, statustest.Now).Modules[0]); got != outcome {
			t.Errorf("ready, --for=%s: outcome %d, want %d", text, got, outcome)
		}
		if text == "step=1" || text == "version=v1" {
			continue
		}
		if got := goal.JudgeModule(&status.Build(starting, statustest.Now).Modules[0]); got != status.Coming {
			t.Errorf("starting, --for=%s: outcome %d", text, got)
		}
	}
}

package status_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/status"
)

// TestViewAgreesWithTheController holds that the view has the controller's verdict on
// every state that pkg/controller/report can be in, where no pod says otherwise. The
// conditions lead to the same one where the status has no health, or one of a later release.
func TestViewAgreesWithTheController(t *testing.T) {
	text, err := os.ReadFile("../controller/report/testdata/states.json")
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]v1.GatiHandlerStatus{}
	if err := json.Unmarshal(text, &states); err != nil || len(states) == 0 {
		t.Fatalf("%d states: %v", len(states), err)
	}
	for name, state := range states {
		t.Run(name, func(t *testing.T) {
			for _, written := range []v1.Health{state.Health, "", "Splendid"} {
				h := statustest.MakeHandler("users").Generation(7).Obj()
				h.Status = state
				h.Status.Health = written
				got := status.Build(status.Objects{Handlers: []v1.GatiHandler{h}}, statustest.Now).Handlers[0]
				if got.Health != state.Health || got.Reason == "" || got.Next == "" && got.Health != status.Healthy {
					t.Errorf("of %q: %s: %s → %s; want %s", written, got.Health, got.Reason, got.Next, state.Health)
				}
			}
		})
	}
}

// TestPodsAreLaidOverTheVerdict holds what the view's own pods add to each verdict: what the
// controller said of an object that waits for a user stays, unless a pod needs an action.
func TestPodsAreLaidOverTheVerdict(t *testing.T) {
	starting, crashing := statustest.MakePod(owner, "x").Age(time.Second), statustest.MakePod(owner, "x").Waiting("CrashLoopBackOff", "back-off")
	for reported, want := range map[v1.Health]struct{ missing, failing v1.Health }{
		v1.Healthy:     {v1.Progressing, v1.Degraded},
		v1.Progressing: {v1.Progressing, v1.Degraded},
		v1.Paused:      {v1.Paused, v1.Degraded},
		v1.RolledBack:  {v1.RolledBack, v1.Degraded},
		v1.Degraded:    {v1.Degraded, v1.Degraded},
		v1.Failed:      {v1.Failed, v1.Failed},
		v1.Invalid:     {v1.Invalid, v1.Invalid},
	} {
		for _, tc := range []struct {
			pod  *statustest.Pod
			want v1.Health
		}{{starting, want.missing}, {crashing, want.failing}} {
			h := statustest.MakeHandler("h").Seen(v1.PhaseRunning, "1/1").Health(reported)
			got := status.Build(status.Objects{
				Handlers: []v1.GatiHandler{h.Obj()}, Pods: []corev1.Pod{tc.pod.Obj()},
				Deployments: []appsv1.Deployment{statustest.Deployment(owner, 0, 1)},
			}, statustest.Now).Handlers[0]
			if got.Health != tc.want {
				t.Errorf("%s is shown as %s: %s; want %s", reported, got.Health, got.Reason, tc.want)
			}
		}
	}
}

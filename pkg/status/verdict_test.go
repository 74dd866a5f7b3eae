package status_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/status"
)

// TestVerdict holds what is shown of a status that has no health, as another release of the
// controller may have written it.
func TestVerdict(t *testing.T) {
	ready := func(h *statustest.Handler) *statustest.Handler {
		return h.Seen(v1.PhaseRunning, "1/1").Condition(v1.ConditionReady, metav1.ConditionTrue, "AllReady", "")
	}
	cases := map[string]struct {
		handler    *statustest.Handler
		objs       status.Objects
		wantHealth status.Health
		wantReason string
	}{
		"not reconciled": {
			handler:    statustest.MakeHandler("h"),
			wantHealth: status.Progressing,
			wantReason: "not observed by a controller yet",
		},
		"ready, no pods asked for": {
			handler:    ready(statustest.MakeHandler("h")),
			wantHealth: status.Healthy,
			wantReason: "no pods wanted",
		},
		"a Ready condition older than the pods": {
			handler:    ready(statustest.MakeHandler("h")),
			objs:       status.Objects{Deployments: []appsv1.Deployment{statustest.Deployment(owner, 0, 1)}},
			wantHealth: status.Progressing,
			wantReason: "0 of 1 pod is ready",
		},
		"a new pod cannot start beside the old ones": {
			handler: ready(statustest.MakeHandler("h")),
			objs: status.Objects{
				Deployments: []appsv1.Deployment{statustest.Deployment(owner, 1, 1)},
				Pods:        []corev1.Pod{statustest.MakePod(owner, "x").Waiting("InvalidImageName", "bad name").Obj()},
			},
			wantHealth: status.Degraded,
			wantReason: "1 of 1 pod is ready; InvalidImageName: bad name",
		},
		"the spec is not valid": {
			handler: ready(statustest.MakeHandler("h")).
				Condition(v1.ConditionValid, metav1.ConditionFalse, "Invalid", "spec.image: must be an image"),
			wantHealth: status.Invalid,
			wantReason: "spec.image: must be an image",
		},
		"failed without a word": {
			handler:    statustest.MakeHandler("h").Seen(v1.PhaseFailed, "0/1"),
			wantHealth: status.Failed,
			wantReason: "the controller stopped",
		},
		"ready, and still at work": {
			handler:    ready(statustest.MakeHandler("h")).Condition(v1.ConditionReconciling, metav1.ConditionTrue, "Canary", "step 1 of 3"),
			wantHealth: status.Progressing,
			wantReason: "step 1 of 3",
		},
		"not ready, with the controller's reason": {
			handler:    statustest.MakeHandler("h").Seen(v1.PhasePending, "0/1").Condition(v1.ConditionReady, metav1.ConditionFalse, "NoRoute", "the route is not accepted"),
			wantHealth: status.Progressing,
			wantReason: "the route is not accepted",
		},
		"decommissioned": {
			handler:    statustest.MakeHandler("h").Seen(v1.PhaseDecommissioned, "0/0"),
			wantHealth: status.Healthy,
			wantReason: "no pods wanted",
		},
		"being deleted": {
			handler:    ready(statustest.MakeHandler("h")).Deleted(),
			wantHealth: status.Deleting,
			wantReason: "being deleted",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.objs.Handlers = []v1.GatiHandler{tc.handler.Health("").Obj()}
			got := status.Build(tc.objs, statustest.Now).Handlers[0]
			if got.Health != tc.wantHealth || got.Reason != tc.wantReason {
				t.Errorf("got %s: %q; want %s: %q", got.Health, got.Reason, tc.wantHealth, tc.wantReason)
			}
		})
	}
}

var owner = statustest.OfHandler("h", v1.WorkloadMain)

func TestProblems(t *testing.T) {
	cases := map[string]struct {
		pod          *statustest.Pod
		want         string
		wantBlocking bool
	}{
		"ready":               {pod: statustest.MakePod(owner, "x")},
		"just created":        {pod: statustest.MakePod(owner, "x").Age(time.Second).Waiting("ContainerCreating", "")},
		"creating for long":   {pod: statustest.MakePod(owner, "x").Waiting("ContainerCreating", ""), want: "ContainerCreating"},
		"runs, but not ready": {pod: statustest.MakePod(owner, "x").Unready(), want: "NotReady: container app runs, but its readiness check fails"},
		"no node takes it": {
			pod:          statustest.MakePod(owner, "x").Unschedulable("0/3 nodes are available: 3 Insufficient cpu."),
			want:         "Unschedulable: 0/3 nodes are available: 3 Insufficient cpu.",
			wantBlocking: true,
		},
		"crash loop": {
			pod:          statustest.MakePod(owner, "x").Waiting("CrashLoopBackOff", "back-off").Died("Error", 1, 3),
			want:         "CrashLoopBackOff: container app ended with exit code 1, 3 restarts",
			wantBlocking: true,
		},
		"no Secret": {
			pod:          statustest.MakePod(owner, "x").Waiting("CreateContainerConfigError", "secret \"db\" not found"),
			want:         "CreateContainerConfigError: secret \"db\" not found",
			wantBlocking: true,
		},
		"died lately": {
			pod:  statustest.MakePod(owner, "x").Died("OOMKilled", 137, 1),
			want: "Restarted: container app ended with OOMKilled (exit code 137), 1 restart",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			objs := status.Objects{
				Handlers: []v1.GatiHandler{statustest.MakeHandler("h").Obj()},
				Pods:     []corev1.Pod{tc.pod.Obj()},
			}
			problems := status.Build(objs, statustest.Now).Handlers[0].Problems
			if tc.want == "" {
				if len(problems) > 0 {
					t.Errorf("got %q, want none", problems[0].Summary())
				}
				return
			}
			if len(problems) != 1 {
				t.Fatalf("got %d problems, want 1", len(problems))
			}
			if got := problems[0]; got.Summary() != tc.want || got.Blocking != tc.wantBlocking {
				t.Errorf("got %q, blocking %v; want %q, blocking %v", got.Summary(), got.Blocking, tc.want, tc.wantBlocking)
			}
		})
	}
}

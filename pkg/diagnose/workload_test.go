package diagnose_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gati.dev/gati/pkg/diagnose"
)

// Nothing happens to a pod that runs and is not ready, so the controller has to look
// again when it has taken too long: at that time there is a sentence, and before
// there is none.
func TestLookAgain(t *testing.T) {
	created := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	started := created.Add(10 * time.Second)
	pod := func(change func(*corev1.Pod)) corev1.Pod {
		p := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", CreationTimestamp: metav1.NewTime(created)}}
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{
			Name: "handler", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(started)}},
		}}
		change(&p)
		return p
	}
	ready := corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue}
	crashes := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
	waits := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}}
	tests := map[string]struct {
		change func(*corev1.Pod)
		want   time.Duration
	}{
		"runs and is not ready": {func(*corev1.Pod) {}, 35 * time.Second},
		"is created":            {func(p *corev1.Pod) { p.Status.ContainerStatuses[0].State = waits }, 25 * time.Second},
		"is ready":              {func(p *corev1.Pod) { p.Status.Conditions = []corev1.PodCondition{ready} }, 0},
		"crashes":               {func(p *corev1.Pod) { p.Status.ContainerStatuses[0].State = crashes }, 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			pods, now := []corev1.Pod{pod(tc.change)}, created.Add(5*time.Second)
			got := diagnose.LookAgain(pods, now)
			if got != tc.want {
				t.Fatalf("look again after %s, want %s", got, tc.want)
			}
			if got == 0 {
				return
			}
			if early := diagnose.Workload(nil, pods, now.Add(got-time.Second)); early != "" {
				t.Errorf("a second before there is %q", early)
			}
			if diagnose.Workload(nil, pods, now.Add(got)) == "" {
				t.Error("then there is nothing to say")
			}
		})
	}
}

// A crashing container runs most of its short lives: what it dies of must be told
// then, too, and not only while it waits for the next.
func TestWorkloadOfAPodThatRunsAgain(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	crashed := func() corev1.Pod {
		p := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", CreationTimestamp: metav1.NewTime(now.Add(-time.Minute))}}
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{
			Name: "handler", RestartCount: 3, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(now)}},
			LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
				Reason: "Error", ExitCode: 1, FinishedAt: metav1.NewTime(now.Add(-time.Second)),
			}},
		}}
		return p
	}
	p := crashed()
	if got, want := diagnose.Workload(nil, []corev1.Pod{p}, now), "Pod a: Restarted: container handler ended with exit code 1."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	if got := diagnose.Workload(nil, []corev1.Pod{p}, now); got != "" {
		t.Errorf("of a pod that is ready again it says %q", got)
	}
	p = crashed()
	p.DeletionTimestamp = &metav1.Time{Time: now}
	if got := diagnose.Workload(nil, []corev1.Pod{p}, now); got != "" {
		t.Errorf("of a pod that goes it says %q", got)
	}
}

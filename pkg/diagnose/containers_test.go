package diagnose_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gati.dev/gati/pkg/diagnose"
)

// TestContainersBeside holds that what an init container or a sidecar does is told as theirs,
// with the field that mends it, and that a handler beside a sidecar that crashes is told well.
func TestContainersBeside(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	always := corev1.ContainerRestartPolicyAlways
	runs := corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(now.Add(-time.Minute))}}
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Error", ExitCode: 3, FinishedAt: metav1.NewTime(now.Add(-time.Second))}}
	outOfMemory := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "OOMKilled", ExitCode: 137, FinishedAt: metav1.NewTime(now.Add(-time.Second))}}
	waits := func(reason, message string) corev1.ContainerState {
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
	}
	tests := map[string]struct {
		init, sidecar, own corev1.ContainerStatus
		isReady            bool
		want, next         string
	}{
		"a sidecar crashes": {
			sidecar: corev1.ContainerStatus{State: waits("CrashLoopBackOff", "back-off 10s"), LastTerminationState: ended, RestartCount: 4},
			own:     corev1.ContainerStatus{State: runs, Ready: true},
			want:    "CrashLoopBackOff: sidecar proxy ended with exit code 3; container handler is well, 4 restarts",
			next:    "see why it ended: kubectl -n shop logs a -c proxy --previous",
		},
		"a sidecar has crashed": {
			sidecar: corev1.ContainerStatus{State: runs, Ready: true, LastTerminationState: outOfMemory, RestartCount: 1},
			own:     corev1.ContainerStatus{State: runs, Ready: true}, isReady: true,
			want: "Restarted: sidecar proxy ended with OOMKilled (exit code 137); container handler is well, 1 restart",
			next: "raise resources.limits.memory of proxy in spec.pod.sidecars",
		},
		"both crash": {
			sidecar: corev1.ContainerStatus{State: waits("CrashLoopBackOff", "back-off 10s"), LastTerminationState: ended},
			own:     corev1.ContainerStatus{State: waits("CrashLoopBackOff", "back-off 10s"), LastTerminationState: ended},
			want:    "CrashLoopBackOff: sidecar proxy ended with exit code 3",
			next:    "see why it ended: kubectl -n shop logs a -c proxy --previous",
		},
		"the image of a sidecar": {
			sidecar: corev1.ContainerStatus{State: waits("ImagePullBackOff", "not found"), Image: "proxy:v1"},
			own:     corev1.ContainerStatus{State: waits("PodInitializing", "")},
			want:    "ImagePullBackOff: sidecar proxy: not found",
			next:    "check that the image proxy:v1 exists and that spec.pod.imagePullSecrets may pull it",
		},
		"a Secret of an init container": {
			init: corev1.ContainerStatus{State: waits("CreateContainerConfigError", `secret "db" not found`)},
			own:  corev1.ContainerStatus{State: waits("PodInitializing", "")},
			want: `CreateContainerConfigError: init container migrate: secret "db" not found`,
			next: "create the Secret or ConfigMap that spec.pod.initContainers or spec.pod.volumes names",
		},
		"an init container takes long": {
			init: corev1.ContainerStatus{State: runs},
			own:  corev1.ContainerStatus{State: waits("PodInitializing", "")},
			want: "PodInitializing: init container migrate still runs",
			next: "see what it says: kubectl -n shop logs a -c migrate",
		},
		"a sidecar that is not ready": {
			sidecar: corev1.ContainerStatus{State: runs},
			own:     corev1.ContainerStatus{State: runs, Ready: true},
			want:    "NotReady: sidecar proxy runs, but its readiness check fails",
			next:    "see what it says: kubectl -n shop logs a -c proxy",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "a", CreationTimestamp: metav1.NewTime(now.Add(-2 * time.Minute))}}
			p.Spec.InitContainers = []corev1.Container{{Name: "migrate"}, {Name: "proxy", RestartPolicy: &always}}
			tc.init.Name, tc.sidecar.Name, tc.own.Name = "migrate", "proxy", "handler"
			p.Status.InitContainerStatuses = []corev1.ContainerStatus{tc.init, tc.sidecar}
			p.Status.ContainerStatuses = []corev1.ContainerStatus{tc.own}
			if tc.isReady {
				p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
			}
			got, found := diagnose.Pod(p, now)
			if !found || got.Summary() != tc.want || got.Next != tc.next {
				t.Errorf("found %t: %q, next %q\nwant %q, next %q", found, got.Summary(), got.Next, tc.want, tc.next)
			}
		})
	}
}

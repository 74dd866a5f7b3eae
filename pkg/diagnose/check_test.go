package diagnose

import (
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ended is a pod whose container has ended.
func ended(at int, code int32, reason, log string) corev1.Pod {
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.Time{Time: time.Unix(int64(at), 0)}},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{State: corev1.ContainerState{
			Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason, Message: log},
		}}}},
	}
}

// TestCheckFailure holds how the end of a check is told: in one line, with the end of the
// log of the last pod.
func TestCheckFailure(t *testing.T) {
	failed := &batchv1.Job{Status: batchv1.JobStatus{Conditions: []batchv1.JobCondition{{Type: batchv1.JobFailed, Reason: "BackoffLimitExceeded", Message: "Job has reached the specified backoff limit"}}}}
	for name, tc := range map[string]struct {
		job  *batchv1.Job
		pods []corev1.Pod
		want string
	}{
		"one line":       {failed, []corev1.Pod{ended(1, 1, "Error", "GET /users: 500\n")}, "exit code 1: GET /users: 500"},
		"the last five":  {failed, []corev1.Pod{ended(1, 2, "Error", "a\nb\n\nc\n  d\te\nf\ng")}, "exit code 2: b | c | d e | f | g"},
		"the last pod":   {failed, []corev1.Pod{ended(2, 3, "Error", "new"), ended(1, 1, "Error", "old")}, "exit code 3: new"},
		"out of memory":  {failed, []corev1.Pod{ended(1, 137, "OOMKilled", "")}, "exit code 137 (OOMKilled)"},
		"no pod is left": {failed, nil, "Job has reached the specified backoff limit"},
		"nothing at all": {&batchv1.Job{}, nil, "its Job has failed"},
		"a long log":     {failed, []corev1.Pod{ended(1, 1, "Error", strings.Repeat("x", 5000))}, "exit code 1: …" + strings.Repeat("x", maxLogRunes)},
	} {
		if got := CheckFailure(tc.job, tc.pods); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

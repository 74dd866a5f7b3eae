package walls

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gati.dev/gati/pkg/cli/clitest"
	"gati.dev/gati/pkg/status/statustest"
)

// amongPods holds that what the status of one handler asks for does not
// depend on what else lives in the namespace, and prints what it costs. The server
// records the requests; it is none of Kubernetes, which would take longer to be filled
// than all that is measured.
func amongPods(t *testing.T, binary string) {
	before := 0
	for _, n := range []int{10, 20_000} {
		objs := statustest.Healthy()
		for i := range n {
			objs.Pods = append(objs.Pods, corev1.Pod{ObjectMeta: metav1.ObjectMeta{
				Namespace: statustest.Namespace, Name: fmt.Sprintf("other-%05d", i), Labels: map[string]string{"app": "other"},
			}})
		}
		server := clitest.NewServer(t, objs)
		cmd := exec.CommandContext(t.Context(), binary, append([]string{"status", "users"}, server.Connection()...)...)
		begin := time.Now()
		out, err := cmd.Output()
		took := time.Since(begin)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		requests := server.Requests()
		if len(requests) > 6 {
			t.Errorf("%d requests, at most 6:\n%s", len(requests), strings.Join(requests, "\n"))
		}
		for _, r := range requests {
			one := strings.Contains(r, "/gatihandlers/users?") || strings.Contains(r, "/gatimodules/users?")
			if !one && !strings.Contains(r, "labelSelector=gati.dev%2Fhandler%3Dusers") {
				t.Errorf("unselected: %s", r)
			}
		}
		if before != 0 && len(requests) != before {
			t.Errorf("%d requests with few pods, and %d with many", before, len(requests))
		}
		before = len(requests)
		t.Logf("%6d other pods: %d requests, %v, %v on the CPU", n, len(requests), took.Round(time.Millisecond),
			(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Round(time.Millisecond))
	}
}

package walls

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/statustest"
)

// checkStatusAmongPods holds that the requests of one handler's status do not depend on
// the size of the namespace, and prints their cost. The server is a fake that records
// requests: filling a real one would take longer than the test.
func checkStatusAmongPods(t *testing.T, binary string) {
	before := 0
	for _, n := range []int{10, 20_000} {
		objs := statustest.Healthy()
		for i := range n {
			objs.Pods = append(objs.Pods, corev1.Pod{ObjectMeta: metav1.ObjectMeta{
				Namespace: statustest.Namespace, Name: fmt.Sprintf("other-%05d", i), Labels: map[string]string{"app": "other"},
			}})
		}
		server := clitest.NewServer(t, objs)
		cost := measureRuns(t, binary, append([]string{"status", "users"}, server.Connection()...)...)
		requests := server.Requests()
		each := len(requests) / runs
		if each*runs != len(requests) || each > 6 {
			t.Errorf("%d requests in %d runs; want at most 6 in each:\n%s", len(requests), runs, strings.Join(requests, "\n"))
		}
		for _, r := range requests {
			one := strings.Contains(r, "/gatihandlers/users?") || strings.Contains(r, "/gatimodules/users?")
			if !one && !strings.Contains(r, "labelSelector=gati.dev%2Fhandler%3Dusers") {
				t.Errorf("the request has no selector for the handler: %s", r)
			}
		}
		if before != 0 && each != before {
			t.Errorf("%d requests with few pods and %d with many; want the same", before, each)
		}
		before = each
		t.Logf("status users, %6d other pods: %d requests, %s; medians of %d", n, each, cost, runs)
	}
}

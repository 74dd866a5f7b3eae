package status_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gati.dev/gati/pkg/cli/clitest"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/status"
	"gati.dev/gati/pkg/status/statustest"
)

// TestWatchLines holds what --watch writes where nobody sees a drawing: a line
// for each change, and an end as soon as nothing changes by itself.
func TestWatchLines(t *testing.T) {
	ready := statustest.Healthy()
	cases := map[string]struct {
		objects status.Objects
		timeout string
		then    func(*clitest.Server)
		want    clitest.Result
	}{
		"healthy already": {
			objects: statustest.Healthy(),
			want:    clitest.Result{Stdout: "   0.0s  gh/users  Healthy  2/2  2 of 2 pods are ready\n"},
		},
		"failed already": {
			objects: statustest.Stalled(),
			want: clitest.Result{
				Stdout: "   0.0s  gh/users  Failed  0/0  Service handler-users exists and belongs to somebody else; delete or rename it\n",
				Code:   exit.Unhealthy,
			},
		},
		"becomes healthy": {
			objects: statustest.Progressing(),
			then: func(s *clitest.Server) {
				s.Send(status.ResourceDeployments, "MODIFIED", &ready.Deployments[0])
				s.Send(status.ResourceHandlers, "MODIFIED", &ready.Handlers[0])
			},
			want: clitest.Result{
				Stdout: "   0.0s  gh/users  Progressing  1/2  1 of 2 pods are ready\n" +
					"   0.0s  gh/users  Healthy  2/2  2 of 2 pods are ready\n",
			},
		},
		"is deleted": {
			objects: statustest.Progressing(),
			then:    func(s *clitest.Server) { s.Send(status.ResourceHandlers, "DELETED", &ready.Handlers[0]) },
			want: clitest.Result{
				Stdout: "   0.0s  gh/users  Progressing  1/2  1 of 2 pods are ready\n",
				Stderr: "error: gh/users was deleted\n",
				Code:   exit.Error,
			},
		},
		"takes too long": {
			objects: statustest.Progressing(),
			timeout: "500ms",
			want: clitest.Result{
				Stdout: "   0.0s  gh/users  Progressing  1/2  1 of 2 pods are ready\n",
				Stderr: "error: gh/users is not settled after 500ms: 1 of 2 pods are ready\n",
				Code:   exit.Timeout,
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := clitest.NewServer(t, tc.objects)
			args := append([]string{"status", "users", "--watch"}, server.Connection()...)
			if tc.timeout != "" {
				args = append(args, "--timeout", tc.timeout)
			}
			if tc.then != nil {
				go func() {
					for !server.Watched(status.ResourceDeployments) || !server.Watched(status.ResourceHandlers) {
						time.Sleep(10 * time.Millisecond)
					}
					tc.then(server)
				}()
			}
			if diff := cmp.Diff(tc.want, clitest.Run(t.Context(), "", args...)); diff != "" {
				t.Errorf("(-want,+got):\n%s", diff)
			}
		})
	}
}

func TestWatchInterrupted(t *testing.T) {
	server := clitest.NewServer(t, statustest.Progressing())
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for !server.Watched(status.ResourceHandlers) {
			time.Sleep(10 * time.Millisecond)
		}
		cancel()
	}()
	args := append([]string{"status", "users", "--watch"}, server.Connection()...)
	got := clitest.Run(ctx, "", args...)
	if got.Code != exit.Interrupted || got.Stderr != "" {
		t.Errorf("got %+v", got)
	}
}

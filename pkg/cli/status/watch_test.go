package status_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/status"
)

// scene has the watched objects, the changes meanwhile, and the output.
type scene struct {
	args    []string
	objects status.Objects
	// then happens once a user watches the handlers and the Deployments.
	then func(*clitest.Server)
	want clitest.Result
}

func (s scene) play(t *testing.T) {
	server := clitest.NewServer(t, s.objects)
	if s.then != nil {
		go func() {
			untilWatched(server)
			s.then(server)
		}()
	}
	got := clitest.Run(t.Context(), "", append(append([]string{"status"}, s.args...), server.Connection()...)...)
	if s.then != nil {
		got.Stdout = ends(got.Stdout)
	}
	if diff := cmp.Diff(s.want, got); diff != "" {
		t.Errorf("(-want,+got):\n%s", diff)
	}
}

// ends are the first and the last line of a text. What lies between depends on
// which of several events come together.
func ends(text string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) < 2 {
		return text
	}
	return lines[0] + lines[len(lines)-1] + "\n"
}

const (
	starting = "   0.0s  gh/users  Progressing  1/2  1 of 2 pods are ready\n"
	serving  = "   0.0s  gh/users  Healthy  2/2  2 of 2 pods are ready\n"
)

// becomeReady makes the pods of users ready.
func becomeReady(s *clitest.Server) {
	ready := statustest.Healthy()
	s.Send(status.ResourceDeployments, "MODIFIED", &ready.Deployments[0])
	s.Send(status.ResourceHandlers, "MODIFIED", &ready.Handlers[0])
}

// untilWatched waits until a user would hear of a change: what was sent before is
// lost.
func untilWatched(s *clitest.Server) {
	for !s.Watched(status.ResourceDeployments) || !s.Watched(status.ResourceHandlers) {
		time.Sleep(10 * time.Millisecond)
	}
}

// become changes the handler users to that of another scenario.
func become(objs status.Objects) func(*clitest.Server) {
	return func(s *clitest.Server) { s.Send(status.ResourceHandlers, "MODIFIED", &objs.Handlers[0]) }
}

// withPodsOf returns objects with the pods of a later scenario. Then one event leads there:
// events of several kinds come in any order, and a wait may end between them.
func withPodsOf(later, objs status.Objects) status.Objects {
	objs.Deployments = later.Deployments
	return objs
}

// TestWatchLines holds what --watch writes without a terminal: a line
// for each change, and an end as soon as nothing changes by itself.
func TestWatchLines(t *testing.T) {
	ready := statustest.Healthy()
	scenes := map[string]scene{
		"healthy already": {
			args: []string{"users"}, objects: statustest.Healthy(), want: clitest.Result{Stdout: serving},
		},
		"failed already": {
			args: []string{"users"}, objects: statustest.Stalled(),
			want: clitest.Result{
				Stdout: "   0.0s  gh/users  Failed  0/0  Service handler-users already exists and was not created by this object; delete or rename it\n",
				Code:   exit.Unhealthy,
			},
		},
		"becomes healthy": {
			args: []string{"users"}, objects: statustest.Progressing(), then: becomeReady,
			want: clitest.Result{Stdout: starting + serving},
		},
		"is deleted": {
			args: []string{"users"}, objects: statustest.Progressing(),
			then: func(s *clitest.Server) { s.Send(status.ResourceHandlers, "DELETED", &ready.Handlers[0]) },
			want: clitest.Result{Stdout: starting, Stderr: "error: gh/users was deleted\n", Code: exit.Error},
		},
		"takes too long": {
			args: []string{"users", "--timeout", "500ms"}, objects: statustest.Progressing(),
			want: clitest.Result{
				Stdout: starting,
				Stderr: "error: gh/users is not settled after 500ms: 1 of 2 pods are ready\n", Code: exit.Timeout,
			},
		},
		"all of a namespace": {
			objects: statustest.Healthy(),
			want:    clitest.Result{Stdout: serving + "   0.0s  gm/db  Healthy  1/1  1 of 1 pod is ready\n"},
		},
		"several": {
			args: []string{"gm/db", "users"}, objects: statustest.Healthy(),
			want: clitest.Result{Stdout: serving + "   0.0s  gm/db  Healthy  1/1  1 of 1 pod is ready\n"},
		},
		"all of no namespace": {
			args: []string{"-A"}, objects: statustest.Healthy(),
			want: clitest.Result{Stdout: "   0.0s  shop gh/users  Healthy  2/2  2 of 2 pods are ready\n   0.0s  shop gm/db  Healthy  1/1  1 of 1 pod is ready\n"},
		},
		"nothing": {
			objects: statustest.Scenarios()["empty"],
			want:    clitest.Result{Stderr: "error: no handlers or modules to wait for in namespace shop\n", Code: exit.Error},
		},
	}
	for name, s := range scenes {
		s.args = append(s.args, "--watch")
		t.Run(name, s.play)
	}
}

// TestFor holds that a wait ends when what is waited for has come, and not before;
// and that it ends with the right code when it cannot come.
func TestFor(t *testing.T) {
	const (
		atStep   = "   0.0s  gh/users  Progressing  6/6  v2.0.0 has 50 % (step 2 of 3); 100 % is next\n"
		promoted = "   0.0s  gh/users  Healthy  6/6  2 of 2 pods are ready\n"
		waits    = "   0.0s  gh/users  Paused  5/5  v2.0.0 has 20 % (step 1 of 3) until it is promoted; 60 % is next\n"
		leaves   = "   0.0s  gh/users  Progressing  4/5  v2.0.0 has 50 % (step 2 of 3); 100 % is next\n"
		back     = "   0.0s  gh/users  RolledBack  4/5  v2.0.0 is not tried again until the spec changes: its containers restarted 4 times, the limit is 3; 0 of 1 pods ready\n"
	)
	scenes := map[string]scene{
		"healthy": {
			args: []string{"users", "--for=healthy"}, objects: statustest.Progressing(), then: becomeReady,
			want: clitest.Result{Stdout: starting + serving},
		},
		"a step that is there": {
			args: []string{"users", "--for=step=2"}, objects: statustest.AtStep(), want: clitest.Result{Stdout: atStep},
		},
		"a step that comes": {
			args: []string{"users", "--for", "step=2"}, objects: withPodsOf(statustest.AtStep(), statustest.TooFewPods()), then: become(statustest.AtStep()),
			want: clitest.Result{Stdout: "   0.0s  gh/users  Progressing  6/6  v2.0.0 has 1 of the 2 ready pods that 50 % needs (step 2 of 3)\n" + atStep},
		},
		"a step behind a pause": {
			args: []string{"users", "--for=step=2"}, objects: statustest.AwaitingPromotion(),
			want: clitest.Result{
				Stdout: waits, Code: exit.Paused,
				Stderr: "error: gh/users: step 2 is not reached without a request: it is Paused: v2.0.0 has 20 % (step 1 of 3) until it is promoted; 60 % is next\n",
			},
		},
		"a pause": {
			args: []string{"users", "--for=paused"}, objects: withPodsOf(statustest.AwaitingPromotion(), statustest.TooFewPods()), then: become(statustest.AwaitingPromotion()),
			want: clitest.Result{Stdout: "   0.0s  gh/users  Progressing  5/5  v2.0.0 has 1 of the 2 ready pods that 50 % needs (step 2 of 3)\n" + waits},
		},
		"a pause that never comes": {
			args: []string{"users", "--for=paused"}, objects: statustest.Healthy(),
			want: clitest.Result{
				Stdout: serving, Code: exit.Unhealthy,
				Stderr: "error: gh/users: paused cannot be reached: it is Healthy: 2 of 2 pods are ready\n",
			},
		},
		"a step that the rollout lacks": {
			args: []string{"users", "--for=step=9"}, objects: statustest.AtStep(),
			want: clitest.Result{
				Stdout: atStep,
				Stderr: "error: gh/users: step 9 cannot be reached: the rollout has 3 steps\n",
				Code:   exit.Unhealthy,
			},
		},
		"a version that was taken back": {
			args: []string{"users", "--for=version=v2.0.0"}, objects: withPodsOf(statustest.Rejected(), statustest.AtStep()), then: become(statustest.Rejected()),
			want: clitest.Result{
				Stdout: leaves + back, Code: exit.Unhealthy,
				Stderr: "error: gh/users: version v2.0.0 cannot be reached: it is RolledBack: v2.0.0 is not tried again until the spec changes: its containers restarted 4 times, the limit is 3; 0 of 1 pods ready\n",
			},
		},
		"the version that it goes back to": {
			args: []string{"users", "--for=version=v1.0.0"}, objects: withPodsOf(statustest.Rejected(), statustest.AtStep()), then: become(statustest.Rejected()),
			want: clitest.Result{Stdout: leaves + back},
		},
		"complete": {
			args: []string{"users", "--for=complete"}, objects: withPodsOf(complete(), statustest.AtStep()), then: become(complete()),
			want: clitest.Result{Stdout: atStep + promoted},
		},
		"too late": {
			args: []string{"users", "--for=complete", "--timeout=300ms"}, objects: statustest.AtStep(),
			want: clitest.Result{
				Stdout: atStep, Code: exit.Timeout,
				Stderr: "error: gh/users has not reached complete after 300ms: v2.0.0 has 50 % (step 2 of 3); 100 % is next\n",
			},
		},
		"one of two fails": {
			args: []string{"users", "db", "--for=step=1"}, objects: statustest.Healthy(),
			want: clitest.Result{
				Stdout: serving + "   0.0s  gm/db  Healthy  1/1  1 of 1 pod is ready\n", Code: exit.Unhealthy,
				Stderr: "error: gh/users: step 1 cannot be reached: it is Healthy: 2 of 2 pods are ready\n" +
					"error: gm/db: step 1 cannot be reached: it is Healthy: 1 of 1 pod is ready\n",
			},
		},
		"its end as a name": {
			args: []string{"users", "--for=healthy", "-o", "name"}, objects: statustest.Progressing(), then: becomeReady,
			want: clitest.Result{Stdout: "gatihandler.gati.dev/users\n"},
		},
		"its end as JSON, reached": {
			args: []string{"users", "--for=healthy", "-o", "jsonpath={.handlers[0].health}"}, objects: statustest.Progressing(), then: becomeReady,
			want: clitest.Result{Stdout: "Healthy"},
		},
		"its end as JSON, missed": {
			args: []string{"users", "--for=paused", "-o", "jsonpath={.handlers[0].health}"}, objects: statustest.Healthy(),
			want: clitest.Result{
				Stdout: "Healthy", Code: exit.Unhealthy,
				Stderr: "error: gh/users: paused cannot be reached: it is Healthy: 2 of 2 pods are ready\n",
			},
		},
	}
	for name, s := range scenes {
		t.Run(name, s.play)
	}
}

// complete is AtStep after its end.
func complete() status.Objects {
	objs := statustest.Draining()
	objs.Deployments[0].Status.ReadyReplicas = 4
	return objs
}

// TestWatchJSON holds that --watch -o json is one document a line, each with what
// has changed alone, and that the exit codes are those of the text.
func TestWatchJSON(t *testing.T) {
	server := clitest.NewServer(t, statustest.Progressing())
	go func() {
		untilWatched(server)
		becomeReady(server)
	}()
	got := clitest.Run(t.Context(), "", append([]string{"status", "--watch", "-o", "json"}, server.Connection()...)...)
	var seen []string
	for line := range strings.Lines(got.Stdout) {
		var s status.Snapshot
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		for _, item := range s.Items() {
			seen = append(seen, fmt.Sprint(s.Kind, " ", item.Name, " ", item.Health))
		}
	}
	want := []string{"Status users Progressing", "Status users Healthy"}
	if len(seen) > 2 {
		seen = []string{seen[0], seen[len(seen)-1]} // what lies between depends on which events come together
	}
	if diff := cmp.Diff(want, seen); diff != "" || got.Code != exit.OK || got.Stderr != "" {
		t.Errorf("exit code %d, stderr %q, (-want,+got):\n%s", got.Code, got.Stderr, diff)
	}
}

// TestCodesWhateverTheFormat holds that a scenario ends with the same code in every
// format, once and watched.
func TestCodesWhateverTheFormat(t *testing.T) {
	formats := []string{"", "-owide", "-ojson", "-oyaml", "-oname", "-ojsonpath={.kind}"}
	for name, objs := range statustest.Scenarios() {
		if name == "empty" {
			continue
		}
		want := codeOf(status.Build(objs, statustest.Now).Handlers[0].Health)
		server := clitest.NewServer(t, objs)
		for _, format := range formats {
			args := append([]string{"status", "users"}, server.Connection()...)
			if format != "" {
				args = append(args, format)
			}
			if got := clitest.Run(t.Context(), "", args...); got.Code != want {
				t.Errorf("%s %s: exit code %d, want %d", name, format, got.Code, want)
			}
		}
	}
}

// TestServerDies holds that a wait whose server dies says so within the request
// timeout, and does not take it for what is waited for.
func TestServerDies(t *testing.T) {
	server := clitest.NewServer(t, statustest.Progressing())
	go func() {
		for !server.Watched(status.ResourceHandlers) {
			time.Sleep(10 * time.Millisecond)
		}
		server.Die()
	}()
	args := append([]string{"status", "users", "--for=healthy", "--request-timeout=5s"}, server.Connection()...)
	got := clitest.Run(t.Context(), "", args...)
	if got.Code != exit.Error || got.Stdout != starting {
		t.Errorf("got %+v", got)
	}
	lines := strings.Split(strings.TrimSpace(got.Stderr), "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "error: cannot reach the server ") {
		t.Errorf("stderr %q", got.Stderr)
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

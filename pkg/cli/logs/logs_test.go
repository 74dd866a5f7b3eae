package logs_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/status"
)

// twoVersions is a canary of which each pod has written two lines, the last of them
// without an end.
func twoVersions(t *testing.T) *clitest.Server {
	objs := statustest.AtStep()
	server := clitest.NewServer(t, objs)
	server.Logs = map[string]string{}
	for _, pod := range objs.Pods {
		server.Logs[pod.Name] = "begins\nserves " + pod.Name[len(pod.Name)-1:]
	}
	return server
}

func TestLogs(t *testing.T) {
	server := twoVersions(t)
	forbidden := clitest.NewServer(t, statustest.Healthy())
	forbidden.Forbidden = []string{status.ResourcePods}
	const second = "v2.0.0 handler-users--v2-0-0-a | begins\nv2.0.0 handler-users--v2-0-0-a | serves a\n" +
		"v2.0.0 handler-users--v2-0-0-b | begins\nv2.0.0 handler-users--v2-0-0-b | serves b\n"
	first := ""
	for _, pod := range []string{"a", "b", "c", "d"} {
		first += "v1.0.0 handler-users-" + pod + " | begins\nv1.0.0 handler-users-" + pod + " | serves " + pod + "\n"
	}
	cases := map[string]struct {
		server *clitest.Server
		args   []string
		want   clitest.Result
	}{
		"all versions": {server, []string{"users"}, clitest.Result{Stdout: first + second}},
		"one version":  {server, []string{"users", "--version", "v2.0.0"}, clitest.Result{Stdout: second}},
		"no such version": {
			server, []string{"users", "--version", "v9"},
			clitest.Result{Stderr: "error: gh/users has no pods of \"v9\"; see kubectl gati version list users -n shop\n", Code: exit.Error},
		},
		"nobody":    {server, []string{"nobody"}, clitest.Result{Stderr: "error: no handler or module \"nobody\" in namespace shop\n", Code: exit.Error}},
		"forbidden": {forbidden, []string{"users"}, clitest.Result{Stderr: "error: the pods could not be read: forbidden\n", Code: exit.Error}},
		"follow what has ended": {
			server, []string{"users", "-f", "-p"},
			clitest.Result{Stderr: "error: --follow and --previous cannot be combined: a container that has ended writes no more\n", Code: exit.Usage},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := clitest.Run(t.Context(), "", append(append([]string{"logs"}, tc.args...), tc.server.Connection()...)...)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want,+got):\n%s", diff)
			}
		})
	}
}

// TestLogsOfContainers holds that each container of a pod is told from the others, and that -c
// selects one.
func TestLogsOfContainers(t *testing.T) {
	objs := statustest.Healthy()
	objs.Pods = objs.Pods[:1]
	pod := &objs.Pods[0]
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
	pod.Status.InitContainerStatuses = []corev1.ContainerStatus{
		{Name: "migrate", State: ended},
		{Name: "proxy", State: pod.Status.ContainerStatuses[0].State, LastTerminationState: ended},
		{Name: "late", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "PodInitializing"}}},
	}
	server := clitest.NewServer(t, objs)
	server.Logs = map[string]string{pod.Name + "/migrate": "migrated", pod.Name + "/proxy": "listens", pod.Name: "serves"}
	prefix := "v1.0.0 " + pod.Name
	for args, want := range map[string]clitest.Result{
		"":           {Stdout: prefix + " migrate | migrated\n" + prefix + " proxy | listens\n" + prefix + " app | serves\n"},
		"-c proxy":   {Stdout: prefix + " proxy | listens\n"},
		"--previous": {Stdout: prefix + " proxy | listens\n"},
		"-c prox":    {Stderr: "error: no container \"prox\"; the pods have app, late, migrate, proxy\n", Code: exit.Error},
	} {
		got := clitest.Run(t.Context(), "", append(append([]string{"logs", "users"}, strings.Fields(args)...), server.Connection()...)...)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want,+got):\n%s", args, diff)
		}
	}
}

// TestRaw holds that control characters are escaped, and pass with --raw alone.
func TestRaw(t *testing.T) {
	server := twoVersions(t)
	server.Logs["handler-users--v2-0-0-a"] = "\x1b[31mred\x1b[0m\tx\r\nend"
	const prefix = "v2.0.0 handler-users--v2-0-0-a | "
	for flag, want := range map[string]string{
		"--raw=false": prefix + "^[[31mred^[[0m    x\n" + prefix + "end\n",
		"--raw":       prefix + "\x1b[31mred\x1b[0m\tx\r\n" + prefix + "end\n",
	} {
		got := clitest.Run(t.Context(), "", append([]string{"logs", "users", "--version", "v2.0.0", flag}, server.Connection()...)...)
		if !strings.HasPrefix(got.Stdout, want) {
			t.Errorf("%s: %q, want %q", flag, got.Stdout, want)
		}
	}
}

// TestLogsAsksForTheProgram holds what is asked of the server for each pod.
func TestLogsAsksForTheProgram(t *testing.T) {
	server := twoVersions(t)
	clitest.Run(t.Context(), "", append([]string{"logs", "users", "--version", "v2.0.0", "--tail", "7", "--since", "5m", "--timestamps"}, server.Connection()...)...)
	asked := 0
	for _, r := range server.Requests() {
		if !strings.Contains(r, "/log?") {
			continue
		}
		asked++
		for _, want := range []string{"container=app", "tailLines=7", "sinceSeconds=300", "timestamps=true"} {
			if !strings.Contains(r, want) {
				t.Errorf("%s lacks %s", r, want)
			}
		}
	}
	if asked != 2 {
		t.Errorf("%d logs were asked for", asked)
	}
}

// TestFollow holds that -f reads each container once, those of pods and versions that
// come later as well, asks for none of them again and again, and ends when
// interrupted.
func TestFollow(t *testing.T) {
	server := twoVersions(t)
	later := statustest.MakePod(statustest.OfHandler("users", "v3-0-0"), "z").Obj()
	pods := append(statustest.AtStep().Pods, later)
	server.Logs[later.Name] = "comes later\n"
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	go func() {
		for !server.Watched(status.ResourcePods) && ctx.Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
		handler := statustest.AtStep().Handlers[0]
		handler.Status.Versions = append(handler.Status.Versions, v1.VersionStatus{Version: "v3.0.0", Sequence: 3, Workload: "v3-0-0"})
		server.Send(status.ResourceHandlers, "MODIFIED", &handler)
		server.Send(status.ResourcePods, "ADDED", &later)
		server.Send(status.ResourcePods, "MODIFIED", &later)
		for _, pod := range pods {
			for times(server, pod.Name) == 0 && ctx.Err() == nil {
				time.Sleep(10 * time.Millisecond)
			}
		}
		interrupt()
	}()
	got := clitest.Run(ctx, "", append([]string{"logs", "users", "-f"}, server.Connection()...)...)
	if got.Code != exit.Interrupted || got.Stderr != "" {
		t.Errorf("got %+v", got)
	}
	for _, pod := range pods {
		if n := times(server, pod.Name); n != 1 {
			t.Errorf("the log of %s was asked for %d times", pod.Name, n)
		}
	}
	if n := server.Times("list pods"); n != 2 {
		t.Errorf("the pods were listed %d times: once to begin, and once for the version that came", n)
	}
}

// times is how often the log of a pod was asked for.
func times(server *clitest.Server, pod string) int {
	n := 0
	for _, r := range server.Requests() {
		if strings.Contains(r, "/"+pod+"/log?") {
			n++
		}
	}
	return n
}

// TestFollowWithoutWatch holds that who may not watch pods gets those that come, too.
func TestFollowWithoutWatch(t *testing.T) {
	server := twoVersions(t)
	server.Denied = []string{"watch pods"}
	later := statustest.MakePod(statustest.OfHandler("users", v1.WorkloadMain), "z").Obj()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	go func() {
		for server.Times("watch pods") == 0 && ctx.Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
		server.Send(status.ResourcePods, "ADDED", &later)
		for times(server, later.Name) == 0 && ctx.Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
		interrupt()
	}()
	got := clitest.Run(ctx, "", append([]string{"logs", "users", "-f"}, server.Connection()...)...)
	if got.Code != exit.Interrupted || got.Stderr != "" {
		t.Errorf("got %+v", got)
	}
}

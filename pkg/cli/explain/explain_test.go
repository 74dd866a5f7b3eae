package explain_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/status"
)

// TestGolden runs the command over every scenario, as text and as JSON; what it
// writes is in testdata/<scenario>.txt and .json. The exit code is that of the
// status, whatever the format.
func TestGolden(t *testing.T) {
	for name, objs := range statustest.Scenarios() {
		if name == "empty" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			server := clitest.NewServer(t, objs)
			status := codeOf(t, server, "status", "users")
			for suffix, format := range map[string][]string{".txt": nil, ".json": {"-o", "json"}} {
				got := clitest.Run(t.Context(), "", append(append([]string{"explain", "users"}, format...), server.Connection()...)...)
				golden.Compare(t, name+suffix, got.Stdout)
				if got.Code != status {
					t.Errorf("exit code %d, want that of the status, %d: %s", got.Code, status, got.Stderr)
				}
				if warns := strings.Contains(got.Stderr, "warning: "); warns != (len(objs.Unread) > 0 && format == nil) {
					t.Errorf("stderr %q", got.Stderr)
				}
			}
		})
	}
}

func codeOf(t *testing.T, server *clitest.Server, args ...string) int {
	t.Helper()
	return clitest.Run(t.Context(), "", append(args, server.Connection()...)...).Code
}

func TestModule(t *testing.T) {
	server := clitest.NewServer(t, statustest.ModuleDenied())
	got := clitest.Run(t.Context(), "", append([]string{"explain", "db"}, server.Connection()...)...)
	golden.Compare(t, "module.txt", got.Stdout)
	if got.Code != exit.Unhealthy || got.Stderr != "" {
		t.Errorf("got %+v", got)
	}
}

// TestProbeAnswer names what the readiness check is answered with, by the kubelet's Events.
func TestProbeAnswer(t *testing.T) {
	users := statustest.OfHandler("users", v1.WorkloadMain)
	late := statustest.MakePod(users, "a").Unready().Obj()
	late.UID = "a"
	h := statustest.MakeHandler("users").Seen(v1.PhasePending, "0/1").
		Condition(v1.ConditionReady, metav1.ConditionFalse, "PodsNotReady", "0 of 1 pods is ready").
		Condition(v1.ConditionReconciling, metav1.ConditionTrue, "Waiting", "waiting for pods").
		Version("v1.0.0", 1, v1.WorkloadMain, 100)
	objs := status.Objects{
		Namespace: statustest.Namespace, Handlers: []v1.GatiHandler{h.Obj()}, Pods: []corev1.Pod{late},
		Deployments: []appsv1.Deployment{statustest.Deployment(users, 0, 1)},
	}
	event := func(reason, message string, age time.Duration) corev1.Event {
		return corev1.Event{
			ObjectMeta: metav1.ObjectMeta{Namespace: statustest.Namespace, Name: message}, Reason: reason, Message: message,
			InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: late.Name, UID: late.UID}, LastTimestamp: metav1.NewTime(statustest.Now.Add(-age)),
		}
	}
	objs.Events = []corev1.Event{
		event("Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503", time.Minute),
		event("Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 404", time.Second),
		event("Unhealthy", "Liveness probe failed: HTTP probe failed with statuscode: 500", 0),
		event("Killing", "Readiness probe failed: never", 0),
	}
	server := clitest.NewServer(t, objs)
	got := clitest.Run(t.Context(), "", append([]string{"explain", "users"}, server.Connection()...)...)
	golden.Compare(t, "probe.txt", got.Stdout)
	server.Forbidden = []string{status.ResourceEvents}
	got = clitest.Run(t.Context(), "", append([]string{"explain", "users"}, server.Connection()...)...)
	golden.Compare(t, "probe-forbidden.txt", got.Stdout+got.Stderr)
}

func TestErrors(t *testing.T) {
	server := clitest.NewServer(t, statustest.Healthy())
	lost := clitest.NewServer(t, status.Objects{})
	lost.NotServed = []string{status.ResourceHandlers, status.ResourceModules, status.ResourceVersions}
	cases := map[string]struct {
		server *clitest.Server
		args   []string
		want   clitest.Result
	}{
		"nobody":  {server, []string{"nobody"}, clitest.Result{Stderr: "error: no handler or module \"nobody\" in namespace shop\n", Code: exit.Error}},
		"a pod":   {server, []string{"pod/x"}, clitest.Result{Stderr: "error: \"pod/x\" is neither a handler (gh/NAME) nor a module (gm/NAME)\n", Code: exit.Usage}},
		"no name": {server, nil, clitest.Result{Stderr: "error: want \"kubectl gati explain NAME | gh/NAME | gm/NAME\", got nothing; see kubectl gati explain --help\n", Code: exit.Usage}},
		"-o name": {server, []string{"users", "-o", "name"}, clitest.Result{Stderr: "error: an explanation has no name; use json, yaml or a template\n", Code: exit.Usage}},
		"no CRDs": {lost, []string{"users"}, clitest.Result{Stderr: "error: the Gati CRDs are not installed in this cluster; to install them: kubectl gati install\n", Code: exit.Error}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := clitest.Run(t.Context(), "", append(append([]string{"explain"}, tc.args...), tc.server.Connection()...)...); got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

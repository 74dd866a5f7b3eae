package rollout_test

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/status"
)

type cmdTestCase struct {
	args    []string
	objects status.Objects
	// answer is the controller's answer to the request, which it refuses where
	// refused is set.
	answer  string
	refused bool
	// forbidden is the policy's message.
	forbidden  string
	wantStderr string
	wantCode   int
}

// cases are the verbs in the phases of a rollout. What they write to the standard
// output is in testdata/<case>.txt.
var cases = map[string]cmdTestCase{
	"promote": {
		args: []string{"promote", "users"}, objects: statustest.AtStep(),
		answer: "v2.0.0 goes from step 2 (50 %) to step 3 (100 %)",
	},
	"promote-waiting": {
		args: []string{"promote", "gh/users"}, objects: statustest.AwaitingPromotion(),
		answer: "v2.0.0 goes from step 1 (20 %) to step 2 (60 %)",
	},
	"promote-full": {
		args: []string{"promote", "users", "--full", "--yes"}, objects: statustest.AwaitingPromotion(),
		answer: "v2.0.0 goes from step 1 (20 %) to step 3 (100 %)",
	},
	"promote-idle": {
		args: []string{"promote", "users"}, objects: statustest.Draining(),
		answer: "nothing is being rolled out", refused: true,
		wantStderr: "error: gh/users: promote refused: nothing is being rolled out\n", wantCode: exit.Error,
	},
	"abort-unseen": {args: []string{"abort", "users", "--dry-run"}, objects: justApplied()},
	"promote-manual": {
		args: []string{"promote", "users"}, objects: statustest.Manual(),
		answer: "the strategy is Manual: set spec.traffic of the GatiVersions instead", refused: true,
		wantStderr: "error: gh/users: promote refused: the strategy is Manual: set spec.traffic of the GatiVersions instead\n",
		wantCode:   exit.Error,
	},
	"pause": {
		args: []string{"pause", "users"}, objects: statustest.AtStep(),
		answer: "everything stays as it is until resumed; a failure still goes back",
	},
	"resume": {
		args: []string{"resume", "users"}, objects: statustest.Frozen(),
		answer: "it had been paused by jane",
	},
	"abort": {
		args: []string{"abort", "users", "--yes"}, objects: statustest.AtStep(),
		answer: "v2.0.0 goes back to v1.0.0",
	},
	"retry": {
		args: []string{"retry", "users", "--yes"}, objects: statustest.Rejected(),
		answer: "v2.0.0 is tried again; it was rejected: its containers restarted 4 times",
	},
	"retry-pinned": {args: []string{"retry", "users", "--dry-run"}, objects: statustest.PinnedByRollback()},
	"retry-failed": {args: []string{"retry", "users", "--dry-run"}, objects: statustest.RolloutFailed()},
	"retry-serving": {
		args: []string{"retry", "users", "--dry-run"}, objects: statustest.Draining(),
		wantStderr: "error: gh/users: retry refused: v2.0.0 already serves\n", wantCode: exit.Error,
	},
	"rollback": {
		args: []string{"rollback", "users", "--yes"}, objects: statustest.Draining(),
		answer: "it goes back to v1.0.0 and stays there until the spec changes",
	},
	"rollback-running": {
		args: []string{"rollback", "users", "--yes"}, objects: statustest.AtStep(),
		answer: "it goes back to v1.0.0 and stays there until the spec changes",
	},
	"rollback-to": {
		args: []string{"rollback", "users", "--to", "v2.0.0", "--yes"}, objects: statustest.PinnedByRollback(),
		answer: "v2.0.0 is rolled out as the declared version, without a pin",
	},
	"rollback-bad-version": {
		args: []string{"rollback", "users", "--to", "stable"}, objects: statustest.AtStep(),
		wantStderr: "error: \"stable\" is not a version; write one such as rollback:v1.2.3 or rollback:tsv:1732186200-users-001\n",
		wantCode:   exit.Usage,
	},
	"restart": {
		args: []string{"restart", "users", "--yes"}, objects: statustest.Manual(),
		answer: "the pods of 3 workloads are replaced",
	},
	"dry-run":               {args: []string{"abort", "users", "--dry-run"}, objects: statustest.AtStep()},
	"dry-run as of kubectl": {args: []string{"abort", "users", "--dry-run=server"}, objects: statustest.AtStep()},
	"dry-run without server": {args: []string{"abort", "users", "--dry-run=client"}, objects: statustest.AtStep(),
		wantStderr: "error: invalid argument \"client\" for \"--dry-run\" flag: must be server or none; see kubectl gati rollout abort --help\n", wantCode: exit.Usage,
	},
	"json": {
		args: []string{"promote", "users", "-o", "json"}, objects: statustest.AtStep(),
		answer: "v2.0.0 goes from step 2 (50 %) to step 3 (100 %)",
	},
	"json-refused": {
		args: []string{"resume", "users", "-o", "json"}, objects: statustest.AtStep(),
		answer: "it is not paused", refused: true,
		wantStderr: "error: gh/users: resume refused: it is not paused\n", wantCode: exit.Error,
	},
	"name": {
		args: []string{"pause", "users", "-o", "name"}, objects: statustest.AtStep(),
		answer: "everything stays as it is until resumed; a failure still goes back",
	},
	"forbidden": {
		args: []string{"abort", "users", "--yes"}, objects: statustest.AtStep(), forbidden: "jane may not ask for abort",
		wantStderr: "error: gatihandlers.gati.dev \"users\" is forbidden: jane may not ask for abort\n", wantCode: exit.Error,
	},
	"reason": {
		args: []string{"abort", "users", "--reason", "errors in checkout", "--yes"}, objects: statustest.AtStep(),
		answer: "v2.0.0 goes back to v1.0.0: errors in checkout",
	},
	"reason-too-long": {
		args: []string{"abort", "users", "--reason", strings.Repeat("x", 201)}, objects: statustest.AtStep(),
		wantStderr: "error: --reason must be one line of at most 200 characters, without control and format characters\n", wantCode: exit.Usage,
	},
	"several": {
		args: []string{"pause", "users", "orders"}, objects: two(), answer: "everything stays as it is",
	},
	"several-json": {
		args: []string{"pause", "users", "orders", "-o", "json"}, objects: two(), answer: "everything stays as it is",
	},
	"several-one-missing": {
		args: []string{"pause", "users", "nobody"}, objects: two(), answer: "everything stays as it is",
		wantStderr: "error: gatihandlers.gati.dev \"nobody\" not found\n", wantCode: exit.Error,
	},
	"selected": {
		args: []string{"pause", "-l", "team=shop", "-o", "name"}, objects: two(), answer: "everything stays as it is",
	},
	"selected-application": {
		args: []string{"pause", "--app", "shop"}, objects: application(), answer: "everything stays as it is",
	},
	"selected-application-by-label": {
		args: []string{"pause", "--app", "shop", "-l", "team=nobody"}, objects: application(),
		wantStderr: "error: no handler in namespace shop matches the selector team=nobody,app.kubernetes.io/part-of=shop\n", wantCode: exit.Error,
	},
	"selected-nothing": {
		args: []string{"pause", "-l", "team=nobody"}, objects: two(),
		wantStderr: "error: no handler in namespace shop matches the selector team=nobody\n", wantCode: exit.Error,
	},
	"selected-and-named": {
		args: []string{"pause", "users", "-l", "a=b"}, objects: two(),
		wantStderr: "error: a name cannot be used together with --selector or --app\n", wantCode: exit.Usage,
	},
	"nobody-named": {
		args: []string{"pause"}, objects: two(),
		wantStderr: "error: name a handler, or use --selector or --app\n", wantCode: exit.Usage,
	},
	"not-found": {
		args: []string{"pause", "nobody"}, objects: statustest.AtStep(),
		wantStderr: "error: gatihandlers.gati.dev \"nobody\" not found\n", wantCode: exit.Error,
	},
	"module": {
		args: []string{"pause", "gm/db"}, objects: statustest.Healthy(),
		wantStderr: "error: gm/db is a module; only handlers have versions\n", wantCode: exit.Usage,
	},
	"being-deleted": {
		args: []string{"pause", "users"}, objects: statustest.Terminating(),
		wantStderr: "error: gh/users is being deleted and takes no more requests\n", wantCode: exit.Error,
	},
	"no-answer": {
		args: []string{"pause", "users", "--timeout", "300ms"}, objects: statustest.AtStep(),
		wantStderr: "error: the request was made, but gati-webhook has not handled it within 300ms; check that it runs, then see kubectl gati rollout history users -n shop\n",
		wantCode:   exit.Timeout,
	},
	"history":       {args: []string{"history", "users"}, objects: statustest.PinnedByRollback()},
	"history-json":  {args: []string{"history", "users", "-o", "json"}, objects: statustest.PinnedByRollback()},
	"history-empty": {args: []string{"history", "users"}, objects: statustest.Healthy(), wantStderr: "No history for gh/users yet.\n"},
	"status-done":   {args: []string{"status", "users"}, objects: statustest.Draining()},
	"status-paused": {args: []string{"status", "users"}, objects: statustest.Frozen(), wantCode: exit.Paused},
	"status-back":   {args: []string{"status", "users"}, objects: statustest.Rejected(), wantCode: exit.Unhealthy},
	"status-failed": {args: []string{"status", "users"}, objects: statustest.RolloutFailed(), wantCode: exit.Unhealthy},
	"status-timeout": {
		args: []string{"status", "users", "--timeout", "300ms"}, objects: statustest.AtStep(),
		wantStderr: "error: gh/users is not settled after 300ms: v2.0.0 has 50 % (step 2 of 3); 100 % is next\n", wantCode: exit.Timeout,
	},
	"bare": {args: []string{"users"}, objects: statustest.AwaitingPromotion(), wantCode: exit.Paused},
}

func TestGolden(t *testing.T) {
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := clitest.NewServer(t, tc.objects)
			server.Patched = tc.controller
			args := append([]string{"rollout"}, tc.args...)
			got := clitest.Run(t.Context(), "", append(args, server.Connection()...)...)
			golden.Compare(t, name+".txt", withoutID(got.Stdout))
			if diff := cmp.Diff(tc.wantStderr, got.Stderr); diff != "" {
				t.Errorf("stderr (-want,+got):\n%s", diff)
			}
			if got.Code != tc.wantCode {
				t.Errorf("exit code %d, want %d", got.Code, tc.wantCode)
			}
		})
	}
}

// two are handlers of one team, of which one is being rolled out.
func application() status.Objects {
	objs := two()
	for i := range objs.Handlers {
		objs.Handlers[i].Labels[v1.LabelApplication] = "shop"
	}
	return objs
}

func two() status.Objects {
	objs := statustest.AtStep()
	objs.Handlers[0].Labels["team"] = "shop"
	orders := statustest.MakeHandler("orders").Label("team", "shop").Obj()
	orders.Status.Rollout = &v1.RolloutStatus{Phase: v1.RolloutStable}
	objs.Handlers = append(objs.Handlers, orders)
	return objs
}

// controller judges a request as the policy would, and answers it as the
// controller would.
func (tc cmdTestCase) controller(o client.Object) error {
	if tc.forbidden != "" {
		return errors.New(tc.forbidden)
	}
	h := o.(*v1.GatiHandler)
	r, err := request.Parse(h.Annotations[v1.AnnotationRequest])
	if err != nil {
		return err
	}
	if by := h.Annotations[v1.AnnotationRequestedBy]; by != clitest.User {
		return errors.New("requested by " + by)
	}
	if tc.answer == "" {
		return nil
	}
	h.Status.Rollout.Requests = append(h.Status.Rollout.Requests, v1.HandledRequest{
		ID: r.ID, Request: strings.TrimSuffix(r.String(), "/"+r.ID), Outcome: tc.answer, Refused: tc.refused,
	})
	return nil
}

var id = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

func withoutID(text string) string { return id.ReplaceAllString(text, "<uuid>") }

// TestRequest holds what a verb writes: the two annotations, by the plugin's own
// manager, with a UUID that no other request has.
func TestRequest(t *testing.T) {
	server := clitest.NewServer(t, statustest.AtStep())
	server.Patched = cmdTestCase{answer: "done"}.controller
	var ids []string
	for range 3 {
		clitest.Run(t.Context(), "", append([]string{"rollout", "promote", "users", "--full", "--yes"}, server.Connection()...)...)
	}
	for _, p := range server.Patches() {
		ids = append(ids, id.FindString(p.Body))
		p.Body = withoutID(p.Body)
		want := clitest.Patch{
			Resource: "gatihandlers", Name: "users", Manager: "kubectl-gati",
			Body: `{"metadata":{"annotations":{"gati.dev/request":"promote:full/<uuid>","gati.dev/request-reason":null,"gati.dev/requested-by":"jane"}}}`,
		}
		if diff := cmp.Diff(want, p); diff != "" {
			t.Errorf("(-want,+got):\n%s", diff)
		}
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 3 {
		t.Errorf("3 requests have the UUIDs %q", ids)
	}
}

// TestRollbackNamesItsVersion holds that a rollback asks for the version that was shown,
// whatever serves by the time that it is handled.
func TestRollbackNamesItsVersion(t *testing.T) {
	for name, objs := range map[string]status.Objects{"running": statustest.AtStep(), "going back": statustest.RollingBack(), "over": statustest.Draining()} {
		server := clitest.NewServer(t, objs)
		server.Patched = cmdTestCase{answer: "done"}.controller
		clitest.Run(t.Context(), "", append([]string{"rollout", "rollback", "users", "--yes"}, server.Connection()...)...)
		if all := server.Patches(); len(all) != 1 || !strings.Contains(all[0].Body, `"gati.dev/request":"rollback:v1.0.0/`) {
			t.Errorf("%s: %+v, want a request for v1.0.0", name, all)
		}
	}
}

// TestDryRun holds that a dry run asks the server and does not wait.
func TestDryRun(t *testing.T) {
	server := clitest.NewServer(t, statustest.AtStep())
	got := clitest.Run(t.Context(), "", append([]string{"rollout", "pause", "users", "--dry-run"}, server.Connection()...)...)
	if got.Code != exit.OK {
		t.Errorf("got %+v", got)
	}
	if patches := server.Patches(); len(patches) != 1 || !patches[0].DryRun {
		t.Errorf("got %+v, want one dry run", patches)
	}
}

// justApplied is a handler whose last apply was not looked at yet.
func justApplied() status.Objects {
	objs := statustest.Draining()
	objs.Handlers[0].Generation = objs.Handlers[0].Status.ObservedGeneration + 1
	return objs
}

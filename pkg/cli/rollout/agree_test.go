package rollout_test

import (
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/status"
)

// Before the first decision there is nothing to promote, nor anything else to request:
// the machine refuses every request then.
func TestDryRunBeforeTheFirstDecision(t *testing.T) {
	objs := statustest.Scenarios()["never-seen"]
	server := clitest.NewServer(t, objs)
	for _, verb := range []request.Verb{request.Promote, request.Pause, request.Resume, request.Abort, request.Retry, request.Rollback, request.Restart} {
		in := rollout.InputFor(&objs.Handlers[0], objs.Versions, statustest.Now)
		if out := rollout.Effect(in, rollout.Request{Request: request.Request{Verb: verb}}); out.Refused == "" {
			t.Errorf("the machine does %+v for %s", out, verb)
		}
		got := clitest.Run(t.Context(), "", append([]string{"rollout", string(verb), "users", "--dry-run"}, server.Connection()...)...)
		if got.Code != exit.Error || got.Stdout != "" || !strings.Contains(got.Stderr, string(verb)+" refused: gati-webhook has not decided") {
			t.Errorf("%s: %+v", verb, got)
		}
	}
}

// TestDryRunAgreesWithTheMachine makes every request in every scenario. The machine, the
// view's prediction and --dry-run refuse the same ones, with the same words.
func TestDryRunAgreesWithTheMachine(t *testing.T) {
	for name, objs := range statustest.Scenarios() {
		if len(objs.Handlers) == 0 || objs.Handlers[0].Name != "users" || objs.Handlers[0].Status.Rollout == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			server := clitest.NewServer(t, objs)
			for args, r := range map[string]request.Request{
				"rollout promote users":              {Verb: request.Promote},
				"rollout promote users --full":       {Verb: request.Promote, Argument: request.Full},
				"rollout pause users":                {Verb: request.Pause},
				"rollout resume users":               {Verb: request.Resume},
				"rollout abort users":                {Verb: request.Abort},
				"rollout retry users":                {Verb: request.Retry},
				"rollout rollback users":             {Verb: request.Rollback},
				"rollout rollback users --to v1.0.0": {Verb: request.Rollback, Argument: "v1.0.0"},
				"rollout rollback users --to v9.0.0": {Verb: request.Rollback, Argument: "v9.0.0"},
				"rollout restart users":              {Verb: request.Restart},
				"version decommission users v1.0.0":  {Verb: request.Decommission, Argument: "v1.0.0"},
				"version decommission users v2.0.0":  {Verb: request.Decommission, Argument: "v2.0.0"},
				"version contract users":             {Verb: request.Contract},
				"version contract users v1.0.0":      {Verb: request.Contract, Argument: "v1.0.0"},
				"version contract users v2.0.0":      {Verb: request.Contract, Argument: "v2.0.0"},
			} {
				in := rollout.InputFor(&objs.Handlers[0], objs.Versions, statustest.Now)
				r.ID = "3f8e2a52-5b0c-4f57-9d0e-6f4b8f1f7c12"
				in.Request = &rollout.Request{Request: r, By: clitest.User}
				requests := rollout.Next(in).Rollout.Requests
				handled := requests[len(requests)-1]
				effect := status.Build(objs, statustest.Now).Handlers[0].Effect(string(r.Verb), r.Argument)
				if refused := effect.Refused != ""; refused != handled.Refused || refused && effect.Refused != handled.Outcome {
					t.Errorf("%s: the view predicts %+v, the machine does %+v", args, effect, handled)
				}
				got := clitest.Run(t.Context(), "", append(append(strings.Fields(args), "--dry-run"), server.Connection()...)...)
				if !handled.Refused && (got.Code != exit.OK || !strings.Contains(got.Stdout, effect.Change)) {
					t.Errorf("%s: %+v, want %q", args, got, effect.Change)
				}
				if handled.Refused && (got.Code != exit.Error || !strings.Contains(got.Stderr, "refused: "+handled.Outcome)) {
					t.Errorf("%s: %+v, want the refusal %q", args, got, handled.Outcome)
				}
			}
		})
	}
}

package rollout

import (
	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/status"
)

const long = `Shows the rollout of a handler, and promotes, pauses or reverts it.

With the name of a handler it is "status gh/NAME --watch": on a terminal a live view
with keys for the same verbs. Each verb makes a request, which needs the right of the
same name on gatihandlers, and waits until the controller has handled it. It prints
the outcome, the effect and the command that reverts it. A refused request ends with
exit code 1 and the reason.`

const examples = `  # Show a rollout live; until it is over; and in a pipeline
  kubectl gati rollout users
  kubectl gati rollout users --exit-on=complete
  kubectl gati rollout status users --timeout 30m

  # Promote to the next step, or skip all remaining steps
  kubectl gati rollout promote users
  kubectl gati rollout promote users --full

  # All handlers of an application together
  kubectl gati rollout promote --app shop

  # Roll back to the previous version, or to another one
  kubectl gati rollout rollback users
  kubectl gati rollout rollback users --to v1.2.0`

// NewCommand returns the command with its verbs.
func NewCommand(e *env.Env, backends status.Backends) *cobra.Command {
	cmd := status.NewWatch(e, "rollout", backends)
	cmd.SuggestFor = []string{"canary", "deploy", "dashboard"}
	cmd.Short, cmd.Long, cmd.Example = "Show a rollout; promote, pause or revert it", long, examples
	cmd.AddCommand(newStatus(e), newHistory(e), newPlan(e), newSimulate(e), newReplay(e))
	for _, v := range verbs {
		cmd.AddCommand(v.newCommand(e))
	}
	return cmd
}

// newStatus returns the command that a pipeline waits on.
func newStatus(e *env.Env) *cobra.Command {
	cmd := status.NewLines(e, "status")
	cmd.Short = "Print a line for each change until the rollout is over"
	cmd.Long = `Prints a line for each change until no further change is pending, also on a
terminal, for the named or selected handlers. It ends with 0 when they are healthy,
with 3 when a rollout failed or was rolled back, with 4 when one waits for a request,
with 5 when --timeout passes first. --for waits for another condition; see kubectl
gati status --help.`
	cmd.Example = `  kubectl gati rollout status users --timeout 30m
  kubectl gati rollout status -l team=shop --timeout 30m
  kubectl gati rollout status --app shop --timeout 30m`
	return cmd
}

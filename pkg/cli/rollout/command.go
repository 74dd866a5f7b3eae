package rollout

import (
	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/status"
)

const long = `Shows how the versions of a handler take each other's place, and asks for
something: to go on, to wait, to go back.

With the name of a handler it is "status gh/NAME --watch": on a terminal a live view,
in which keys ask for the same. Each verb makes a request,
which needs the right of the same name on gatihandlers, and waits until the
controller has handled it. It prints what came of it, from where to where it leads,
and how to take it back. A request that is refused ends with exit code 1 and the
reason.`

const examples = `  # Where a rollout stands, live; until it is over; and in a pipeline
  kubectl gati rollout users
  kubectl gati rollout users --exit-on=complete
  kubectl gati rollout status users --timeout 30m

  # On to the next step, or skip all that are left
  kubectl gati rollout promote users
  kubectl gati rollout promote users --full

  # Back to the version before, or to another one
  kubectl gati rollout rollback users
  kubectl gati rollout rollback users --to v1.2.0`

// NewCommand returns the command with its verbs.
func NewCommand(e *env.Env, backends status.Backends) *cobra.Command {
	cmd := status.NewWatch(e, "rollout", backends)
	cmd.Short, cmd.Long, cmd.Example = "Show a rollout, and ask it to go on, wait or go back", long, examples
	cmd.AddCommand(newStatus(e), newHistory(e))
	for _, v := range verbs {
		cmd.AddCommand(v.command(e))
	}
	return cmd
}

// newStatus is the command that a pipeline waits on.
func newStatus(e *env.Env) *cobra.Command {
	cmd := status.NewLines(e, "status")
	cmd.Short = "Write a line for each change until the rollout is over"
	cmd.Long = `Writes a line for each change until nothing more changes by itself, also on a
terminal, of the handlers named or of all that are selected. It ends with 0 when they
are healthy, with 3 when a rollout failed or went back, with 4 when one waits for
somebody, with 5 when --timeout passes first. --for waits for something else; see
kubectl gati status --help.`
	cmd.Example = `  kubectl gati rollout status users --timeout 30m
  kubectl gati rollout status -l team=shop --timeout 30m`
	return cmd
}

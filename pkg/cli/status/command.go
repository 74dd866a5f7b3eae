package status

import (
	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/env"
	model "gati.dev/gati/pkg/status"
)

const long = `Shows the health of handlers and modules, its reason and the next step.

Without a name: everything in the namespace, the worst first. With the name of a
handler or module: its versions, pods and conditions; with several names, a line for
each. A bare name is that of a handler, else of a module; gh/NAME and gm/NAME are
explicit.

With names, the exit code is that of the worst health: 0 for healthy, 4 for a rollout
that waits for a request, 3 for anything else, also while a change is in progress or
another version serves than the spec declares. Without a name it is 0.

--watch follows changes. On a terminal it opens a live view until q is pressed; ?
lists its keys, among them promote, pause and rollback. With --exit-on it ends with 0
when the condition holds, with 3 when it cannot be reached, and with 130 when you
leave before. Elsewhere it writes a line for each change and ends when no further
change is pending: with 0 when healthy, with 3 when failed or rolled back, with 4 when
a request is needed, with 5 when --timeout passes first.

--for waits for a condition, with the same codes: 0 when it holds, 3 when it cannot be
reached, 4 when a request is needed first, 5 when --timeout passes first. With several
objects, all must meet it.

  healthy     everything requested serves
  paused      a rollout waits for a request
  complete    no rollout is running and the declared version serves
  step=N      a canary has reached its step N: pods ready, weight accepted
  version=V   V has all traffic, or under Manual the share of its record

With -o json and the like, the output is one object of the kind Status,
cli.gati.dev/v1; with --watch -o json one a line for each change, with the changed
objects only. Lists that you may not read are left out and named.`

const examples = `  # Everything in the namespace of the context, or in all
  kubectl gati status
  kubectl gati status -A

  # One handler, and one module
  kubectl gati status users
  kubectl gati status gm/db

  # Watch a handler; in a pipeline, wait for it, or for all that one team has
  kubectl gati status users --watch
  kubectl gati status users --for=healthy --timeout 10m
  kubectl gati status -l team=shop --for=complete --timeout 30m

  # Wait until a canary has reached its second step, then promote it
  kubectl gati status users --for=step=2 --timeout 20m && kubectl gati rollout promote users

  # Each change as a line of JSON
  kubectl gati status users --watch -o json | jq -r '.handlers[].reason'

  # The names of unhealthy handlers
  kubectl gati status -o jsonpath='{.handlers[?(@.health!="Healthy")].name}'`

// NewCommand returns the command.
func NewCommand(e *env.Env, backends Backends) *cobra.Command {
	o := newOptions(e, backends)
	cmd := o.newCommand("status [NAME | gh/NAME | gm/NAME]...", cobra.ArbitraryArgs)
	cmd.SuggestFor = []string{"get", "describe", "tree", "ps", "top"}
	cmd.Short, cmd.Long, cmd.Example = "Show the health of handlers and modules", long, examples
	cmd.Flags().BoolVarP(&o.watch, "watch", "w", false, "Follow changes.")
	o.addScope(cmd)
	o.addView(cmd)
	o.format.AddTo(cmd)
	o.color.AddTo(cmd)
	return cmd
}

// addScope adds the flags that select objects and the condition to wait for.
func (o *options) addScope(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVarP(&o.all, "all-namespaces", "A", false, "Show all namespaces.")
	o.selector.AddTo(flags, "handlers and modules")
	flags.StringVar(&o.until, "for", "", "Wait for a condition: healthy, paused, complete, step=N or version=V.")
	completeGoals(cmd, "for")
}

func completeGoals(cmd *cobra.Command, flag string) {
	goals := cobra.FixedCompletions(model.Goals, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace)
	if err := cmd.RegisterFlagCompletionFunc(flag, goals); err != nil {
		panic(err) // the flag was added before
	}
}

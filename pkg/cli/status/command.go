package status

import (
	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/env"
	model "gati.dev/gati/pkg/status"
)

const long = `Shows how handlers and modules are, and why.

Without a name: everything in the namespace, what needs somebody first. With the
name of a handler or module: its versions, pods and conditions, and what comes
next; with several, a line for each. A bare name is that of a handler, else of a
module; gh/NAME and gm/NAME say which.

With names, the exit code tells the worst health: 0 when they are healthy at this
moment, 4 when a rollout waits for somebody, 3 when something is otherwise not
healthy, also while it is only on its way, and when another version serves than the
spec declares. Without a name it is 0 whatever is shown.

--watch keeps showing. On a terminal it is a live view that stays until q is pressed;
? shows its keys, among them those that promote, pause and go back. With --exit-on it
ends when the goal has come, with 0, or cannot come any more, with 3, and with 130
when it is left before. Elsewhere it is a line for each change, and ends as soon as
nothing more changes by itself: with 0 when it is healthy, with 3 when it has failed
or gone back, with 4 when it waits for somebody, with 5 when --timeout passes first.

--for waits for something else, with the same codes: 0 when it has come, 3 when it
cannot come any more, 4 when somebody has to ask for it, 5 when --timeout passes
first. Of several objects, all are waited for.

  healthy     everything asked for serves
  paused      a rollout waits for somebody
  complete    no rollout is under way, and the declared version serves
  step=N      a canary has reached its step N: pods ready, weight accepted
  version=V   V has all traffic, or under Manual what its record asks for

With -o json and the like, the output is one object of the kind Status,
cli.gati.dev/v1; with --watch -o json one a line for each change, of what has
changed. Lists that you may not read are left out, and named.`

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

  # Wait until a canary has 50 % at its second step, and promote it
  kubectl gati status users --for=step=2 --timeout 20m && kubectl gati rollout promote users

  # Each change as a line of JSON
  kubectl gati status users --watch -o json | jq -r '.handlers[].reason'

  # The names of what is not healthy
  kubectl gati status -o jsonpath='{.handlers[?(@.health!="Healthy")].name}'`

// NewCommand returns the command.
func NewCommand(e *env.Env, backends Backends) *cobra.Command {
	o := newOptions(e, backends)
	cmd := o.command("status [NAME | gh/NAME | gm/NAME]...", cobra.ArbitraryArgs)
	cmd.Short, cmd.Long, cmd.Example = "Show how handlers and modules are, and why", long, examples
	cmd.Flags().BoolVarP(&o.watch, "watch", "w", false, "Keep showing it as it changes.")
	o.addScope(cmd)
	o.addView(cmd)
	o.format.AddTo(cmd)
	o.color.AddTo(cmd)
	return cmd
}

// addScope adds the flags that say what to look at, and until when.
func (o *options) addScope(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVarP(&o.all, "all-namespaces", "A", false, "Show all namespaces.")
	flags.StringVarP(&o.selector, "selector", "l", "", "Show only the handlers and modules with these labels.")
	flags.StringVar(&o.until, "for", "", "Wait until it is so: healthy, paused, complete, step=N or version=V.")
	completeGoals(cmd, "for")
}

func completeGoals(cmd *cobra.Command, flag string) {
	goals := cobra.FixedCompletions(model.Goals, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace)
	if err := cmd.RegisterFlagCompletionFunc(flag, goals); err != nil {
		panic(err) // the flag was added before
	}
}

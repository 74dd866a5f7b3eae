package status

import (
	"time"

	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/env"
)

const long = `Shows how handlers and modules are, and why.

Without a name: everything in the namespace, what needs somebody first. With the
name of a handler or module: its versions, pods and conditions, and what comes
next. A bare name is that of a handler, else of a module; gh/NAME and gm/NAME say
which.

With a name, the exit code tells the health: 0 when it is healthy at this moment,
3 when it is not, also while it is only on its way. Without a name it is 0
whatever is shown.

--watch keeps showing one handler or module. On a terminal it is a live view that
stays until q is pressed. Elsewhere it writes a line for each change and ends as
soon as nothing more changes by itself: with 0 when it is healthy, with 3 when it
has failed, with 5 when --timeout passes first.

With -o json and the like, the output is one object of the kind Status,
cli.gati.dev/v1. Lists that you may not read are left out, and named.`

const examples = `  # Everything in the namespace of the context, or in all
  kubectl gati status
  kubectl gati status -A

  # One handler, and one module
  kubectl gati status users
  kubectl gati status gm/db

  # Watch a handler; in a pipeline, wait for it
  kubectl gati status users --watch
  kubectl gati status users --watch --timeout 5m | cat

  # The names of what is not healthy
  kubectl gati status -o jsonpath='{.handlers[?(@.health!="Healthy")].name}'`

// NewCommand returns the command.
func NewCommand(e *env.Env) *cobra.Command {
	o := newOptions(e)
	cmd := &cobra.Command{
		Use:               "status [NAME | gh/NAME | gm/NAME]",
		Short:             "Show how handlers and modules are, and why",
		Long:              long,
		Example:           examples,
		Args:              env.Usage(cobra.MaximumNArgs(1)),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.complete(args); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.BoolVarP(&o.all, "all-namespaces", "A", false, "Show all namespaces.")
	flags.StringVarP(&o.selector, "selector", "l", "", "Show only the handlers and modules with these labels.")
	flags.BoolVarP(&o.watch, "watch", "w", false, "Keep showing it as it changes; needs a name.")
	flags.DurationVar(&o.timeout, "timeout", time.Duration(0), "How long to watch at most; 0 is for ever.")
	o.format.AddTo(cmd)
	o.color.AddTo(cmd)
	return cmd
}

package status

import (
	"time"

	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/env"
)

// NewWatch returns "status NAME --watch" under another name.
func NewWatch(e *env.Env, name string, backends Backends) *cobra.Command {
	o := newOptions(e, backends)
	o.watch, o.handlers = true, true
	cmd := o.newCommand(name+" NAME", env.Usage(cobra.ExactArgs(1)))
	o.addView(cmd)
	o.color.AddTo(cmd)
	return cmd
}

// NewLines returns "status [NAME]... --watch" under another name, which writes lines
// also on a terminal.
func NewLines(e *env.Env, name string) *cobra.Command {
	o := newOptions(e, nil)
	o.watch, o.plain = true, true
	cmd := o.newCommand(name+" [NAME]...", cobra.ArbitraryArgs)
	o.addScope(cmd)
	o.format.AddTo(cmd)
	o.color.AddTo(cmd)
	return cmd
}

// addView adds the flags of a live view.
func (o *options) addView(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.exitOn, "exit-on", "", "End the view at a condition: healthy, paused, complete, step=N or version=V.")
	flags.BoolVar(&o.ascii, "ascii", false, "Draw with ASCII only; the default where the locale has no UTF-8.")
	completeGoals(cmd, "exit-on")
}

// newCommand returns a command with the shared settings.
func (o *options) newCommand(use string, args cobra.PositionalArgs) *cobra.Command {
	cmd := &cobra.Command{
		Use:               use,
		Args:              args,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.complete(args); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	}
	cmd.Flags().DurationVar(&o.timeout, "timeout", time.Duration(0), "Maximum time to watch or wait; 0 is no limit.")
	return cmd
}

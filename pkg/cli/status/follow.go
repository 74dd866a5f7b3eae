package status

import (
	"time"

	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/env"
)

// NewWatch returns "status NAME --watch" under another name, for commands that
// show one object as it changes.
func NewWatch(e *env.Env, name string, backends Backends) *cobra.Command {
	o := newOptions(e, backends)
	o.watch, o.handlers = true, true
	cmd := o.command(name+" NAME", env.Usage(cobra.ExactArgs(1)))
	o.addView(cmd)
	o.color.AddTo(cmd)
	return cmd
}

// NewLines returns "status [NAME]... --watch" under another name, which writes lines
// on a terminal, too.
func NewLines(e *env.Env, name string) *cobra.Command {
	o := newOptions(e, nil)
	o.watch, o.plain = true, true
	cmd := o.command(name+" [NAME]...", cobra.ArbitraryArgs)
	o.addScope(cmd)
	o.format.AddTo(cmd)
	o.color.AddTo(cmd)
	return cmd
}

// addView adds the flags of a live view.
func (o *options) addView(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.exitOn, "exit-on", "", "End the view when it is so: healthy, paused, complete, step=N or version=V.")
	flags.BoolVar(&o.ascii, "ascii", false, "Draw with ASCII alone, as where the locale has no UTF-8.")
	completeGoals(cmd, "exit-on")
}

// command returns the command with what all that follow have.
func (o *options) command(use string, args cobra.PositionalArgs) *cobra.Command {
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
	cmd.Flags().DurationVar(&o.timeout, "timeout", time.Duration(0), "How long to watch or wait at most; 0 is for ever.")
	return cmd
}

package status

import (
	"time"

	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/env"
)

// NewWatch returns "status NAME --watch" under another name, for commands that
// show one object as it changes.
func NewWatch(e *env.Env, name string) *cobra.Command {
	o := newOptions(e)
	o.watch = true
	cmd := o.command(name+" NAME", env.Usage(cobra.ExactArgs(1)))
	o.color.AddTo(cmd)
	return cmd
}

// NewLines returns "status [NAME]... --watch" under another name, which writes lines
// on a terminal, too.
func NewLines(e *env.Env, name string) *cobra.Command {
	o := newOptions(e)
	o.watch, o.plain = true, true
	cmd := o.command(name+" [NAME]...", cobra.ArbitraryArgs)
	o.addScope(cmd)
	o.format.AddTo(cmd)
	o.color.AddTo(cmd)
	return cmd
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

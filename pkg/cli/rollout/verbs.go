package rollout

import (
	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/ask"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/request"
)

// verb is a command that makes one request.
type verb struct {
	verb        request.Verb
	short, long string
	// flag adds the flag that the request's argument comes from.
	flag func(*cobra.Command) func() string
}

var verbs = []verb{
	{request.Promote, "Go on to the next step of a rollout", `Goes on to the next step, whether its pause is over or not. A rollout that was
paused goes on, and one that failed is tried again. Under the strategy Manual it is
refused: set the traffic of the versions instead.`, full},
	{request.Pause, "Leave everything as it is until it is resumed", `Leaves weights, steps and versions as they are until it is resumed. A rollout that
fails still goes back.`, nil},
	{request.Resume, "Go on after a pause", `Goes on where the handler was paused. The time in between does not count as part of
a step.`, nil},
	{request.Abort, "Take a running rollout back to the stable version", `Gives the stable version all of its traffic back. The version that was being rolled
out is not tried again until the spec changes.`, nil},
	{request.Rollback, "Go back to the version before, or to another one", `Goes back to the version that served before, or to the one of --to, and stays there
until the spec changes: what is applied again unchanged does not undo it.`, to},
	{request.Restart, "Replace the pods of every live version", `Replaces the pods of every version that has a workload, as "kubectl rollout restart"
does for one.`, nil},
}

// command returns the command of a verb.
func (v verb) command(e *env.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:               string(v.verb) + " NAME...",
		Short:             v.short,
		Long:              v.long,
		Example:           "  kubectl gati rollout " + string(v.verb) + " users\n  kubectl gati rollout " + string(v.verb) + " -l team=shop --reason 'release 42' --dry-run",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	argument := func() string { return "" }
	if v.flag != nil {
		argument = v.flag(cmd)
	}
	o := ask.NewOptions(e, cmd)
	o.AddSelector(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return o.Run(cmd.Context(), args, request.Request{Verb: v.verb, Argument: argument()})
	}
	return cmd
}

func full(cmd *cobra.Command) func() string {
	on := cmd.Flags().Bool("full", false, "Skip all steps that are left.")
	return func() string {
		if *on {
			return request.Full
		}
		return ""
	}
}

func to(cmd *cobra.Command) func() string {
	version := cmd.Flags().String("to", "", "The version to go back to; the one before when absent.")
	return func() string { return *version }
}

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
	// others are words for the verb in other tools.
	others []string
	// flag adds the flag that gives the request's argument.
	flag func(*cobra.Command) func() string
}

var verbs = []verb{
	{verb: request.Promote, others: []string{"approve", "next"}, short: "Promote a rollout to its next step", long: `Promotes to the next step, also before its pause is over. A paused rollout is
resumed, and a failed one goes on with the next step. Under the strategy Manual it is
refused: set the traffic of the versions instead.`, flag: fullArgument},
	{verb: request.Pause, others: []string{"freeze"}, short: "Pause a rollout until it is resumed", long: `Keeps weights, steps and versions as they are until it is resumed. A rollout that
fails is still rolled back.`},
	{verb: request.Resume, others: []string{"continue", "unpause"}, short: "Resume a paused rollout", long: `Resumes the rollout where it was paused. The time in between does not count as part
of a step.`},
	{verb: request.Abort, others: []string{"cancel", "stop"}, short: "Abort a rollout and return to the stable version", long: `Returns all traffic to the stable version. The aborted version is not tried again until
the spec changes or "kubectl gati rollout retry" asks for it.`},
	{verb: request.Retry, short: "Try a failed, aborted or rolled back version again", long: `Rolls the declared version out again, from its first step, after it was rejected,
aborted or left by a rollback. A failed rollout without autoRollback is tried again at
its step. Under the strategy Manual it ends a rollback: the version records decide the
shares again.`},
	{verb: request.Rollback, others: []string{"undo", "revert"}, short: "Roll back to the previous version, or to another one", long: `Rolls back to the version that served before, or to that of --to, and stays there
until the spec changes or "kubectl gati rollout retry" ends it: applying the spec again
unchanged does not. During an automatic rollback it means the version that this one
returns to. The declared version is rolled out like any other, and not pinned.`, flag: targetArgument},
	{verb: request.Restart, short: "Restart the pods of every live version", long: `Replaces the pods of every version with a workload, as "kubectl rollout restart" does
for a Deployment.`},
}

// newCommand returns the command of a verb.
func (v verb) newCommand(e *env.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:               string(v.verb) + " NAME...",
		SuggestFor:        v.others,
		Short:             v.short,
		Long:              v.long,
		Example:           "  kubectl gati rollout " + string(v.verb) + " users\n  kubectl gati rollout " + string(v.verb) + " -l team=shop --reason 'release 42' --dry-run\n  kubectl gati rollout " + string(v.verb) + " --app shop",
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

func fullArgument(cmd *cobra.Command) func() string {
	on := cmd.Flags().Bool("full", false, "Skip all remaining steps.")
	return func() string {
		if *on {
			return request.Full
		}
		return ""
	}
}

func targetArgument(cmd *cobra.Command) func() string {
	version := cmd.Flags().String("to", "", "The version to roll back to; by default the previous one.")
	return func() string { return *version }
}

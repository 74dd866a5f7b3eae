package version

import (
	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/ask"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/request"
)

// newContract makes a request: the contract is one of the handler, not of a record.
func newContract(e *env.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "contract HANDLER [VERSION]",
		Short: "Move the contract to another version",
		Long: `Moves the contract to a version, by default to the stable one: callers without a
known X-Gati-Version speak it. Within a series of versions that break no callers it
follows the stable version by itself.

It is refused while a rollout is running, before rollout.rollbackWindow is over, while
a version with traffic does not serve the callers of the new contract, and where
spec.contract decides. Callers that still speak the old contract must name it in
X-Gati-Version from then on.

Pods know of a move two minutes ahead and all make it at the same moment. The
command returns once every pod reports that it answers by the new contract, and
prints meanwhile how many do. When --timeout ends first, the move goes on.`,
		Example: `  kubectl gati version contract users
  kubectl gati version contract users v2.0.0 --dry-run`,
		Args:              env.Usage(cobra.RangeArgs(1, 2)),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	o := ask.NewOptions(e, cmd)
	o.AwaitContract()
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		r := request.Request{Verb: request.Contract}
		if len(args) == 2 {
			r.Argument = args[1]
		}
		return o.Run(cmd.Context(), args[:1], r)
	}
	return cmd
}

// Package version is the command "kubectl gati version": the versions of handlers,
// and the fields of their records that users set. "kubectl gati --version" prints the
// version of the plugin.
package version

import (
	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/ask"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/request"
)

// Template is the output of --version.
const Template = "kubectl-gati {{.Version}}\n"

const long = `Shows the versions of handlers and edits their records: the share of the traffic
under the strategy Manual, tags, whether a version is kept and whether it is active.

A field that Git or another tool manages is not changed, because that tool would
revert it. The edit to make there is printed instead, with exit code 1.

Without a verb it lists the versions in the namespace. --version prints the version
of the plugin.`

// NewCommand returns the command with its verbs.
func NewCommand(e *env.Env) *cobra.Command {
	cmd := newList(e)
	cmd.Use, cmd.Args = "version", env.Usage(cobra.NoArgs)
	cmd.Short, cmd.Long = "Show the versions of handlers and edit their records", long
	cmd.Example = `  kubectl gati version list users
  kubectl gati version get users v1.2.0
  kubectl gati version diff users v1.2.0 v1.3.0
  kubectl gati version set-traffic users v1.2.0=90 v1.3.0=10
  kubectl gati version tag users v1.2.0 stable`
	cmd.AddCommand(newList(e), newGet(e), newDiff(e), newScaffold(e), newTrial(e), newTraffic(e), newTag(e), newUntag(e), newKeep(e),
		newActivate(e), newDeactivate(e), newDecommission(e), newContract(e))
	return cmd
}

// newDecommission makes a request: no field of the record decommissions a version.
func newDecommission(e *env.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "decommission HANDLER VERSION",
		Short: "Decommission a version before its minimum age",
		Long: `Starts to drain a version at once, even before versions.minAge. Its workload is
removed once it has drained; its record stays. It is refused for a version that
serves, is declared, is kept or has a protected tag.`,
		Example:           "  kubectl gati version decommission users v1.2.0",
		Args:              env.Usage(cobra.ExactArgs(2)),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	o := ask.NewOptions(e, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return o.Run(cmd.Context(), args[:1], request.Request{Verb: request.Decommission, Argument: args[1]})
	}
	return cmd
}

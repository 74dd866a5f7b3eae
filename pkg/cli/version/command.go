// Package version is the command "kubectl gati version": the versions of handlers,
// and the fields of their records that people set. Which build of the plugin this
// is, is "kubectl gati --version".
package version

import (
	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/ask"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/request"
)

// Template is what --version prints.
const Template = "kubectl-gati {{.Version}}\n"

const long = `Shows the versions of handlers, and changes what their records say: the share of
the traffic under the strategy Manual, tags, whether a version stays and whether it
may be called.

A field of a record that Git or another tool manages is not changed: that would set
it again. The edit to make there is printed instead, with exit code 1.

Alone it lists the versions in the namespace. --version is that of the plugin.`

// NewCommand returns the command with its verbs.
func NewCommand(e *env.Env) *cobra.Command {
	cmd := newList(e)
	cmd.Use, cmd.Args = "version", env.Usage(cobra.NoArgs)
	cmd.Short, cmd.Long = "Show the versions of handlers, and change their records", long
	cmd.Example = `  kubectl gati version list users
  kubectl gati version get users v1.2.0
  kubectl gati version diff users v1.2.0 v1.3.0
  kubectl gati version set-traffic users v1.2.0=90 v1.3.0=10
  kubectl gati version tag users v1.2.0 stable`
	cmd.AddCommand(newList(e), newGet(e), newDiff(e), newTraffic(e), newTag(e), newUntag(e), newKeep(e),
		newActivate(e), newDeactivate(e), newDecommission(e))
	return cmd
}

// newDecommission asks the controller: there is no field for it.
func newDecommission(e *env.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "decommission HANDLER VERSION",
		Short: "Take a version out of service without waiting for its age",
		Long: `Lets a version drain at once, however young it is. It goes once it has drained; its
record stays. It is refused for a version that serves, is declared, is kept or has a
protected tag.`,
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

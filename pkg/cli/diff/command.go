package diff

import (
	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/output"
)

const long = `Shows the children that an apply of manifests would create, change or delete, each
with the lines that differ. What an apply makes of the handlers, modules and versions
themselves is asked of the API server, which stores nothing; what becomes of their
children is computed as gati-webhook does it.

It is what gati-webhook does first. What a rollout does later, as pods become ready
and steps pass, is told in one line for each handler, and status shows it live. Where
traffic is measured, it counts as unknown.

Objects of other kinds are passed over, but a Namespace among them tells with its
annotation gati.dev/image which image its handlers and modules have.

The exit codes are kubectl diff's: 0 when nothing would change, 1 when something
would, and more than 1 when that cannot be said: 3 when the apply would be refused.`

const examples = `  # What would an apply of this file change?
  kubectl gati diff -f users.yaml

  # As "kubectl apply --server-side" would apply it, and only the names
  kubectl gati diff -f users.yaml --server-side -o name

  # In a pipeline: fail where something would change
  kubectl gati diff -f manifests -R > /dev/null || exit 1`

// NewCommand returns the command.
func NewCommand(e *env.Env) *cobra.Command {
	o := &options{env: e, format: output.NewFormat()}
	cmd := &cobra.Command{
		Use:               "diff -f FILE",
		Short:             "Show the children that an apply of manifests would change",
		Long:              long,
		Example:           examples,
		Args:              env.Usage(cobra.NoArgs),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return worse(o.run(cmd.Context()))
		},
	}
	o.files.AddTo(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&o.serverSide, "server-side", false, "Apply as kubectl apply --server-side does.")
	flags.BoolVar(&o.force, "force-conflicts", false, "With --server-side, take fields from other managers.")
	flags.StringVar(&o.manager, "field-manager", "", "The name that the apply would go by; that of kubectl apply when absent.")
	o.format.AddTo(cmd)
	o.color.AddTo(cmd)
	return cmd
}

package diff

import (
	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/output"
)

const long = `Shows the child objects that an apply of manifests would create, change or delete, with
the lines that differ. The API server applies the manifests in a dry run, which stores
nothing; the child objects are computed by the code of gati-webhook.

The result is the first action of gati-webhook. One line per handler names the rollout
that follows; kubectl gati status shows it live. Measured traffic counts as unknown.

Objects of other kinds are ignored, except that the annotation gati.dev/image of a
Namespace gives its handlers and modules their image.

The exit codes are those of kubectl diff: 0 if nothing would change, 1 if something
would change, and greater than 1 for an error, such as 3 for a refused apply.`

const examples = `  # Show the changes that an apply of this file makes
  kubectl gati diff -f users.yaml

  # As "kubectl apply --server-side" applies it, names only
  kubectl gati diff -f users.yaml --server-side -o name

  # In a pipeline: fail if something would change
  kubectl gati diff -f manifests -R > /dev/null || exit 1`

// NewCommand returns the command.
func NewCommand(e *env.Env) *cobra.Command {
	o := &options{env: e, format: output.NewFormat()}
	cmd := &cobra.Command{
		Use:               "diff -f FILE",
		Short:             "Show the child objects that an apply of manifests would change",
		Long:              long,
		Example:           examples,
		Args:              env.Usage(cobra.NoArgs),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return asUsageError(o.runDiff(cmd.Context()))
		},
	}
	o.files.AddTo(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&o.serverSide, "server-side", false, "Apply like kubectl apply --server-side.")
	flags.BoolVar(&o.force, "force-conflicts", false, "With --server-side, take fields from other managers.")
	flags.StringVar(&o.manager, "field-manager", "", "Field manager of the apply; by default that of kubectl apply.")
	o.format.AddTo(cmd)
	o.color.AddTo(cmd)
	return cmd
}

package expand

import (
	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/env"
)

const long = `Prints the objects that an apply of GatiHandlers and GatiModules would create:
Deployments, Services, autoscalers and so on. It runs what gati-webhook runs, on
this machine: for files it needs no cluster and asks none.

Objects of other kinds in the files are passed over, and a GatiVersion creates
nothing, but is checked. When any object is refused, all faults are named, nothing
is printed and the exit code is 3.

What only a cluster knows is left out: the objects are those of a first apply to
a cluster that serves every API asked for.

With the name of a handler or module it does the same for the object as it is stored
in the cluster.`

const examples = `  # What would this file create?
  kubectl gati expand -f users.yaml

  # Everything below a directory, names only
  kubectl gati expand -f manifests -R -o name

  # What an object in the cluster stands for
  kubectl gati expand users

  # Handlers that take their image from the namespace
  kubectl gati expand -f users.yaml --image registry.example.com/app:v1.2.3

  # Compare what two revisions of a manifest create
  diff <(git show HEAD~:users.yaml | kubectl gati expand -f -) <(kubectl gati expand -f users.yaml)`

// NewCommand returns the command.
func NewCommand(e *env.Env) *cobra.Command { return newCommand(e, &admission{}) }

func newCommand(e *env.Env, p pipeline) *cobra.Command {
	o := newOptions(e, p)
	cmd := &cobra.Command{
		Use:               "expand (-f FILE | NAME...)",
		Short:             "Print the objects that a manifest, or a stored object, creates",
		Long:              long,
		Example:           examples,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, names []string) error {
			if err := o.complete(names); err != nil {
				return err
			}
			return o.run(cmd.Context(), names)
		},
	}
	o.files.AddTo(cmd)
	cmd.Flags().StringVar(&o.image, "image", "", "The image of objects that name none, as the namespace's annotation gati.dev/image would say.")
	o.format.AddTo(cmd)
	return cmd
}

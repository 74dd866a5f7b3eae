package expand

import (
	"github.com/spf13/cobra"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/env"
)

const long = `Prints the objects that an apply of GatiHandlers and GatiModules would create:
Deployments, Services, autoscalers and so on. It runs the code of gati-webhook on this
machine; for files it needs no cluster.

Objects of other kinds are ignored. A GatiVersion creates nothing, but is checked. If
any object is refused, all errors are printed and nothing else, and the exit code is 3.

For files, the objects are those of a first apply to a cluster that serves every API
in use.

With the name of a handler or module, the objects are those that gati-webhook plans for
it in the cluster now: during a rollout, all versions in service with their weights.
Measured traffic counts as unknown.

With --target helm, -o is a directory. Each handler and module becomes a Helm chart
below it, the one that gati-webhook installs under the target helm; image, replicas,
resources, env and the weights of the route are its values. Manifests of several
namespaces have a directory for each. A chart that was written earlier is replaced.`

const examples = `  # Print the objects that this file creates
  kubectl gati expand -f users.yaml

  # Everything below a directory, names only
  kubectl gati expand -f manifests -R -o name

  # Print the objects of a handler in the cluster
  kubectl gati expand users

  # Write a Helm chart of each object below charts/
  kubectl gati expand -f users.yaml --target helm -o charts

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
		SuggestFor:        []string{"render", "template"},
		Short:             "Print the objects that a manifest or a stored object creates",
		Long:              long,
		Example:           examples,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, names []string) error {
			if err := o.completeOptions(names); err != nil {
				return err
			}
			return o.runExpand(cmd.Context(), names)
		},
	}
	o.files.AddTo(cmd)
	cmd.Flags().StringVar(&o.image, "image", "", "Image of objects without one, in place of the namespace's annotation gati.dev/image.")
	cmd.Flags().StringVar(&o.target, "target", v1.TargetKubernetes, "Form of the objects: kubernetes prints them, helm writes charts into the directory of -o.")
	o.format.AddTo(cmd)
	cmd.Flag("output").Usage += " With --target helm, a directory."
	return cmd
}

package lint

import (
	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/env"
)

const long = `Says what an apply of GatiHandlers, GatiModules and GatiVersions would be refused
for, in the same words: it runs what kubectl, the API server and gati-webhook run,
on this machine, and needs no cluster.

Objects of other kinds are passed over, but a Namespace among them tells with its
annotation gati.dev/image which image its handlers and modules have.

--before names the manifests as they were, such as those of the main branch: what
may not change is held against them.

Each finding has a code that does not change. With an error, or with --strict any
finding, the exit code is 3. Manifests that nothing is wrong with leave it at 0.

With -o json and the like, the output is one object of the kind LintReport,
cli.gati.dev/v1.`

const examples = `  # Everything in a directory
  kubectl gati lint -f manifests -R

  # What a chart renders, for a namespace that names the image
  helm template shop ./chart | kubectl gati lint -f - --image registry.example.com/app:v1.2.3

  # In a pipeline: what may not change against the main branch
  git worktree add /tmp/main main
  kubectl gati lint -f manifests -R --before /tmp/main/manifests --strict

  # The codes, counted
  kubectl gati lint -f manifests -o jsonpath='{.findings[*].code}' | tr ' ' '\n' | sort | uniq -c`

// NewCommand returns the command.
func NewCommand(e *env.Env) *cobra.Command {
	o := newOptions(e)
	cmd := &cobra.Command{
		Use:               "lint -f FILE",
		Short:             "Say what an apply of manifests would be refused for, without a cluster",
		Long:              long,
		Example:           examples,
		Args:              env.Usage(cobra.NoArgs),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.complete(); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	}
	o.files.AddTo(cmd)
	flags := cmd.Flags()
	flags.StringSliceVar(&o.before, "before", nil, "A file or directory with the manifests as they were; may be given more than once.")
	flags.StringVar(&o.image, "image", "", "The image of objects that name none, as the namespace's annotation gati.dev/image would say.")
	flags.BoolVar(&o.strict, "strict", false, "Let warnings count as errors do.")
	o.format.AddTo(cmd)
	o.color.AddTo(cmd)
	return cmd
}

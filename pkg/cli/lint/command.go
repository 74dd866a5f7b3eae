package lint

import (
	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/env"
)

const long = `Checks manifests of GatiHandlers, GatiModules and GatiVersions for errors that an apply
would hit, in the same words. It runs the checks of kubectl, the API server and
gati-webhook on this machine, and needs no cluster.

Objects of other kinds are ignored, except that the annotation gati.dev/image of a
Namespace gives its handlers and modules their image.

--before names the previous manifests, such as those of the main branch. Immutable
fields are compared with them, and the schemas of the declared version with those of
the version that was declared before.

Codes of findings are stable. With an error, or with --strict any finding, the exit
code is 3; otherwise it is 0.

With -o json and the like, the output is one object of the kind LintReport,
cli.gati.dev/v1.`

const examples = `  # Everything in a directory
  kubectl gati lint -f manifests -R

  # What a chart renders, for a namespace that names the image
  helm template shop ./chart | kubectl gati lint -f - --image registry.example.com/app:v1.2.3

  # In a pipeline: compare immutable fields with the main branch
  git worktree add /tmp/main main
  kubectl gati lint -f manifests -R --before /tmp/main/manifests --strict

  # The codes, counted
  kubectl gati lint -f manifests -o jsonpath='{.findings[*].code}' | tr ' ' '\n' | sort | uniq -c`

// NewCommand returns the command.
func NewCommand(e *env.Env) *cobra.Command {
	o := newOptions(e)
	cmd := &cobra.Command{
		Use:               "lint -f FILE",
		SuggestFor:        []string{"validate", "check", "verify"},
		Short:             "Check manifests offline for errors that an apply would hit",
		Long:              long,
		Example:           examples,
		Args:              env.Usage(cobra.NoArgs),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.completeOptions(); err != nil {
				return err
			}
			return o.runLint(cmd.Context())
		},
	}
	o.files.AddTo(cmd)
	flags := cmd.Flags()
	flags.StringSliceVar(&o.before, "before", nil, "A file or directory with the previous manifests; can be repeated.")
	flags.StringVar(&o.image, "image", "", "Image of objects without one, in place of the namespace's annotation gati.dev/image.")
	flags.BoolVar(&o.strict, "strict", false, "Treat warnings as errors.")
	o.format.AddTo(cmd)
	o.color.AddTo(cmd)
	return cmd
}

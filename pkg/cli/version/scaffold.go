package version

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/scaffold"
	"gati.dev/gati/pkg/schema"
)

const scaffoldLong = `Prints the file of the transformer that serves callers of one version on another: a
function for requests and one for responses, typed from both schemas, with each
breaking difference as a comment at its place. A direction that breaks nothing is
identity. It is TypeScript in a folder that has a tsconfig.json, otherwise JavaScript.

The differences are those of "version diff"; -f reads versions from manifests that are
not applied yet.`

// scaffolder are the flags of "scaffold".
type scaffolder struct {
	differ
	from, to string
}

func newScaffold(e *env.Env) *cobra.Command {
	s := &scaffolder{differ: differ{env: e}}
	cmd := &cobra.Command{
		Use:               "scaffold HANDLER --from OLD --to NEW",
		Short:             "Write the transformer between two versions of a handler",
		Long:              scaffoldLong,
		Example:           "  kubectl gati version scaffold users --from v1.0.0 --to v2.0.0 > src/transformers/users-v1.0.0-to-v2.0.0.js",
		Args:              env.Usage(cobra.ExactArgs(1)),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, args []string) error { return s.run(cmd.Context(), args[0]) },
	}
	cmd.Flags().StringVar(&s.from, "from", "", "The version whose callers are to be served.")
	cmd.Flags().StringVar(&s.to, "to", "", "The version that is to serve them.")
	cmd.Flags().StringSliceVarP(&s.files, "filename", "f", nil, "A manifest with versions that are not applied yet; - is standard input.")
	return cmd
}

func (s *scaffolder) run(ctx context.Context, handler string) error {
	if s.from == "" || s.to == "" || s.from == s.to {
		return exit.Usagef("--from and --to: name two versions, such as --from v1.0.0 --to v2.0.0")
	}
	f, _, err := s.readFamily(ctx, handler, s.from, s.to)
	if err != nil {
		return err
	}
	pair, err := pairOf(f, s.from, s.to)
	if err != nil {
		return err
	}
	_, missing := os.Stat("tsconfig.json")
	pair.TypeScript = missing == nil
	if _, err := fmt.Fprint(s.env.Streams.Out, pair.File()); err != nil {
		return err
	}
	fmt.Fprintf(s.env.Streams.ErrOut, "Save it as src/transformers/%s of the application and record it in the GatiVersion of %s:\n  transformers:\n    - {from: %s, to: %s, request: %s, response: %s}\n",
		pair.FileName(), s.to, s.from, s.to, pair.RequestName(), pair.ResponseName())
	return nil
}

// pairOf compares two versions of a family. Whatever their compatibility has to be, the
// callers of the first are to be served on the second.
func pairOf(f compat.Family, from, to string) (scaffold.Pair, error) {
	sides, err := readSchemas(f, from, to)
	if err != nil {
		return scaffold.Pair{}, err
	}
	return scaffold.Pair{
		Handler: f.Handler, From: from, To: to, Old: sides[0], New: sides[1],
		Findings: schema.Compatibility(sides[0], sides[1], schema.Backward).Findings,
	}, nil
}

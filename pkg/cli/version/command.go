// Package version is the command "kubectl gati version": which build this is.
//
// It must not ask the server: "version" works without one.
package version

import (
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/output"
)

// Template is what --version prints.
const Template = "kubectl-gati {{.Version}}\n"

// NewCommand returns the command.
func NewCommand(e *env.Env) *cobra.Command {
	format := output.NewFormat()
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Show the version of the plugin",
		Example: `  kubectl gati version
  kubectl gati version -o json`,
		Args: env.Usage(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error { return run(e, format) },
	}
	format.AddTo(cmd)
	return cmd
}

func run(e *env.Env, format *output.Format) error {
	printer, err := format.Printer()
	if err != nil {
		return err
	}
	if printer == nil {
		_, err := fmt.Fprintf(e.Streams.Out, "kubectl-gati %s\n", e.Version)
		return err
	}
	return output.Print(printer, e.Streams.Out, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion":    "cli.gati.dev/v1",
		"kind":          "Version",
		"metadata":      map[string]any{"name": "kubectl-gati"},
		"clientVersion": e.Version,
	}})
}

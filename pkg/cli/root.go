package cli

import (
	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/adopt"
	"gati.dev/gati/pkg/cli/application"
	"gati.dev/gati/pkg/cli/completion"
	"gati.dev/gati/pkg/cli/convert"
	"gati.dev/gati/pkg/cli/deletion"
	"gati.dev/gati/pkg/cli/diff"
	"gati.dev/gati/pkg/cli/doctor"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/expand"
	"gati.dev/gati/pkg/cli/explain"
	"gati.dev/gati/pkg/cli/install"
	"gati.dev/gati/pkg/cli/lint"
	"gati.dev/gati/pkg/cli/live"
	"gati.dev/gati/pkg/cli/logs"
	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/cli/rollout"
	"gati.dev/gati/pkg/cli/status"
	"gati.dev/gati/pkg/cli/version"
)

const long = `kubectl gati shows and manages Gati applications: handlers, the modules they
share, and the versions that run side by side.

It needs the Gati CRDs and gati-webhook in the cluster; "init", "build", "schemas", "adopt",
"expand", "lint", "convert", "rollout plan", "rollout simulate" and "rollout replay -f" work
without a cluster.

` + exit.Help

// NewRoot returns the command with all verbs.
func NewRoot(e *env.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:           "kubectl-gati",
		Short:         "Show and manage Gati applications",
		Long:          long,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl gati"},
		Version:       e.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          env.UnknownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.SetIn(e.Streams.In)
	cmd.SetOut(output.Raw(e.Streams.Out)) // a shell reads completions, help has no data
	cmd.SetErr(e.Streams.ErrOut)
	cmd.SetFlagErrorFunc(env.FlagError)
	cmd.SetVersionTemplate(version.Template)
	e.Config.AddFlags(cmd.PersistentFlags())
	cmd.PersistentFlags().Lookup("request-timeout").Usage = "Time to wait for one request to the server, such as 5s or 2m. 0 means 30s for commands that read once."
	cmd.AddCommand(status.NewCommand(e, live.New), explain.NewCommand(e), logs.NewCommand(e), rollout.NewCommand(e, live.New), version.NewCommand(e),
		expand.NewCommand(e), diff.NewCommand(e), lint.NewCommand(e), convert.NewCommand(e), adopt.NewCommand(e), deletion.NewCommand(e), doctor.NewCommand(e), completion.NewCommand(e), application.NewInit(e), application.NewBuild(e), application.NewSchemas(e))
	cmd.AddCommand(install.NewCommands(e)...)
	addCompletions(cmd, e)
	return cmd
}

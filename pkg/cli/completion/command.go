// Package completion is the command "kubectl gati completion": shell completion for
// "kubectl-gati", and for "kubectl gati", which kubectl completes through a program named
// kubectl_complete-gati.
package completion

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/output"
)

const long = `Enables shell completion for kubectl gati. kubectl asks the program
kubectl_complete-gati on the PATH for completions. krew installs one program per
plugin, so "install" adds that name as a link to kubectl-gati in the same folder. The
link stays valid when the plugin is upgraded. The shell needs kubectl's own completion:
see kubectl completion --help.

With the name of a shell it prints a completion script for kubectl-gati itself.`

// NewCommand returns the command.
func NewCommand(e *env.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "completion install | uninstall | bash | zsh | fish | powershell",
		Short: "Enable shell completion for kubectl gati",
		Long:  long,
		Example: `  kubectl gati completion install
  source <(kubectl-gati completion bash)`,
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		Args:      env.Usage(cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs)),
		RunE:      func(cmd *cobra.Command, args []string) error { return writeScript(e, cmd.Root(), args[0]) },
	}
	cmd.AddCommand(newInstall(e), newUninstall(e))
	return cmd
}

// writeScript writes the completions of a shell. Their program is kubectl-gati.
func writeScript(e *env.Env, root *cobra.Command, shell string) error {
	out := output.Raw(e.Streams.Out)
	switch shell {
	case "bash":
		return root.GenBashCompletionV2(out, true)
	case "zsh":
		return root.GenZshCompletion(out)
	case "fish":
		return root.GenFishCompletion(out, true)
	default:
		return root.GenPowerShellCompletionWithDesc(out)
	}
}

// newInstall and newUninstall act on the folder of the program.
func newInstall(e *env.Env) *cobra.Command {
	return inFolder(e, &cobra.Command{
		Use:   "install",
		Short: "Add kubectl_complete-gati beside kubectl-gati",
		Long: `Adds kubectl_complete-gati to the folder of the kubectl-gati on the PATH, where kubectl
looks for completions. The command can be repeated.`,
	}, addLink)
}

func newUninstall(e *env.Env) *cobra.Command {
	return inFolder(e, &cobra.Command{
		Use:   "uninstall",
		Short: "Remove kubectl_complete-gati",
		Long: `Removes the link that "install" has added. Run it before you uninstall the plugin: krew
leaves the link behind, and then reports an outdated installation.`,
	}, removeLink)
}

// inFolder gives a command its folder: the flag's, or that of the program.
func inFolder(e *env.Env, cmd *cobra.Command, act func(dir, goos string) (string, error)) *cobra.Command {
	dir := ""
	cmd.Args, cmd.ValidArgsFunction = env.Usage(cobra.NoArgs), cobra.NoFileCompletions
	cmd.RunE = func(*cobra.Command, []string) error {
		if dir == "" {
			found, err := exec.LookPath(program)
			if err != nil {
				return fmt.Errorf("%s is not on the PATH, so kubectl cannot find it either; name its folder with --dir (%w)", program, err)
			}
			dir = filepath.Dir(found)
		}
		said, err := act(dir, runtime.GOOS)
		if err == nil {
			fmt.Fprintln(e.Streams.Out, said)
		}
		return err
	}
	cmd.Flags().StringVar(&dir, "dir", "", "Folder of kubectl-gati; by default that of the kubectl-gati on the PATH.")
	return cmd
}

// Package completion is the command "kubectl gati completion": completions for
// those who type "kubectl gati", which kubectl asks a program of another name
// for, and for those who type "kubectl-gati" itself.
package completion

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/env"
)

const long = `kubectl completes the words behind "kubectl gati" when it finds the program
kubectl_complete-gati on the PATH. krew installs one program for a plugin, so "install"
adds that name: a link beside kubectl-gati, to kubectl-gati. It stays right when the
plugin is upgraded. The shell needs kubectl's own completion: see kubectl completion
--help.

With the name of a shell it writes a script for those who type kubectl-gati instead.`

// NewCommand returns the command.
func NewCommand(e *env.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "completion install | uninstall | bash | zsh | fish | powershell",
		Short: "Let kubectl complete the words behind kubectl gati",
		Long:  long,
		Example: `  kubectl gati completion install
  source <(kubectl-gati completion bash)`,
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		Args:      env.Usage(cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs)),
		RunE:      func(cmd *cobra.Command, args []string) error { return script(e, cmd.Root(), args[0]) },
	}
	cmd.AddCommand(newInstall(e), newUninstall(e))
	return cmd
}

// script writes the completions of a shell. Their program is kubectl-gati.
func script(e *env.Env, root *cobra.Command, shell string) error {
	out := e.Streams.Out
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
		Long: `Adds kubectl_complete-gati beside the kubectl-gati that is found on the PATH, which is
where kubectl looks for completions. It may be repeated.`,
	}, install)
}

func newUninstall(e *env.Env) *cobra.Command {
	return inFolder(e, &cobra.Command{
		Use:   "uninstall",
		Short: "Remove kubectl_complete-gati again",
		Long: `Removes what "install" has added. Do so before the plugin goes: krew leaves the link,
and calls a home outdated in which no plugin is left and a link is.`,
	}, uninstall)
}

// inFolder gives a command its folder: the flag's, or that of the program.
func inFolder(e *env.Env, cmd *cobra.Command, act func(dir, goos string) (string, error)) *cobra.Command {
	dir := ""
	cmd.Args, cmd.ValidArgsFunction = env.Usage(cobra.NoArgs), cobra.NoFileCompletions
	cmd.RunE = func(*cobra.Command, []string) error {
		if dir == "" {
			found, err := exec.LookPath(program)
			if err != nil {
				return fmt.Errorf("%s is not on the PATH, and kubectl would not find it either; name its folder with --dir (%w)", program, err)
			}
			dir = filepath.Dir(found)
		}
		said, err := act(dir, runtime.GOOS)
		if err == nil {
			fmt.Fprintln(e.Streams.Out, said)
		}
		return err
	}
	cmd.Flags().StringVar(&dir, "dir", "", "The folder of kubectl-gati; empty is where it is found on the PATH.")
	return cmd
}

// Command cli writes docs/cli: a page for each command of the plugin, from the
// command itself and from internal/contract.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"gati.dev/gati/pkg/cli"
	"gati.dev/gati/pkg/cli/env"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "cli:", err)
		os.Exit(1)
	}
}

func run() error {
	dir := flag.String("o", "docs/cli", "write to this directory, in which nothing else may be")
	flag.Parse()
	// The default of --cache-dir is below the home directory of the current user.
	for name, value := range map[string]string{"HOME": "$HOME", "KUBECACHEDIR": ""} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	pages, err := renderPages(cli.NewRoot(&env.Env{Config: genericclioptions.NewConfigFlags(true)}))
	if err != nil {
		return err
	}
	if err := os.RemoveAll(*dir); err != nil {
		return err
	}
	if err := os.MkdirAll(*dir, 0o755); err != nil {
		return err
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(*dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// renderPages returns the pages by their file names.
func renderPages(root *cobra.Command) (map[string]string, error) {
	commands := listCommands(root)
	pages := map[string]string{"README.md": renderIndex(root, commands)}
	for _, cmd := range commands {
		text, err := renderPage(cmd)
		if err != nil {
			return nil, err
		}
		pages[pageFile(cmd)] = text
	}
	return pages, nil
}

// listCommands returns the commands below a command, as the help lists them.
func listCommands(cmd *cobra.Command) []*cobra.Command {
	var out []*cobra.Command
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			out = append(append(out, c), listCommands(c)...)
		}
	}
	return out
}

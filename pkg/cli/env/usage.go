package env

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/exit"
)

// Usage makes the errors of an argument check usage errors that say what the command takes,
// and which command was meant where one is known. A usage error of the check stays as it is.
func Usage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		if err == nil || exit.IsUsage(err) {
			return err
		}
		got := "nothing"
		if len(args) > 0 {
			got = fmt.Sprintf("%q", strings.Join(args, " "))
		}
		return exit.Usagef("want \"%s\", got %s; %s", synopsis(cmd), got, hintFor(cmd, args))
	}
}

// UnknownCommand refuses the words behind a command that takes commands alone.
func UnknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return exit.Usagef("unknown command %q; %s", args[0], hintFor(cmd, args))
}

// FlagError returns the error of a flag that a command does not have. Flags of a mistyped
// command are parsed as those of the command in front of it.
func FlagError(cmd *cobra.Command, err error) error {
	args := cmd.Flags().Args()
	if len(args) > 0 && cmd.HasSubCommands() && (!cmd.HasParent() || len(findMeant(cmd, args[0])) > 0) {
		return UnknownCommand(cmd, args)
	}
	return exit.Usagef("%v; see %s --help", err, cmd.CommandPath())
}

// synopsis returns how a command is written, without its flags.
func synopsis(cmd *cobra.Command) string {
	_, args, _ := strings.Cut(cmd.Use, " ")
	return strings.TrimSpace(cmd.CommandPath() + " " + args)
}

// hintFor returns what to do about arguments that a command does not take.
func hintFor(cmd *cobra.Command, args []string) string {
	if len(args) > 0 {
		if meant := findMeant(cmd, args[0]); len(meant) > 0 {
			return "did you mean " + strings.Join(meant, " or ") + "?"
		}
	}
	return "see " + cmd.CommandPath() + " --help"
}

// maxMeant is the number of commands that are suggested at most.
const maxMeant = 3

// findMeant returns the commands that a word behind a command may stand for: those of this
// name anywhere or that list it, else those of a similar name, beneath the command itself
// where there are any.
func findMeant(cmd *cobra.Command, word string) []string {
	if meant := findNamed(cmd.Root(), strings.ToLower(word)); len(meant) > 0 {
		return meant[:min(len(meant), maxMeant)]
	}
	for _, from := range []*cobra.Command{cmd, cmd.Root()} {
		if meant := findSimilar(from, word); len(meant) > 0 {
			return meant[:min(len(meant), maxMeant)]
		}
	}
	return nil
}

func findNamed(from *cobra.Command, word string) (paths []string) {
	for _, c := range from.Commands() {
		if c.IsAvailableCommand() && (c.Name() == word || c.HasAlias(word) || slices.Contains(c.SuggestFor, word)) {
			paths = append(paths, c.CommandPath())
		}
		paths = append(paths, findNamed(c, word)...)
	}
	return paths
}

// findSimilar lets a word of three letters differ by one, and a longer one by two. A single
// letter is like nothing.
func findSimilar(from *cobra.Command, word string) (paths []string) {
	if len(word) < 2 {
		return nil
	}
	from.SuggestionsMinimumDistance = min(len(word)/3, 2)
	for _, name := range from.SuggestionsFor(word) {
		paths = append(paths, from.CommandPath()+" "+name)
	}
	for _, c := range from.Commands() {
		paths = append(paths, findSimilar(c, word)...)
	}
	return paths
}

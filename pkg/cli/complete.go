package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/status"
)

// addCompletions lets every command complete the words that its usage asks for: NAME is a
// handler or module, HANDLER a handler, VERSION, OLD and NEW are versions of the handler in
// front of them.
func addCompletions(root *cobra.Command, e *env.Env) {
	names := cluster.Names{Env: e}
	completeFlag(root, "namespace", func(ctx context.Context, _ []string) []string { return names.Namespaces(ctx) })
	completeFlag(root, "context", func(context.Context, []string) []string { return names.Contexts() })
	completeArguments(root, names)
}

// completeApps completes the applications of --app, where the command has it.
func completeApps(cmd *cobra.Command, names cluster.Names) {
	completeFlag(cmd, "app", func(ctx context.Context, _ []string) []string { return names.Applications(ctx) })
}

func completeArguments(cmd *cobra.Command, names cluster.Names) {
	for _, c := range cmd.Commands() {
		completeArguments(c, names)
		completeApps(c, names)
		usage, _, _ := strings.Cut(c.Use, " |")
		words := strings.Fields(usage)
		if len(words) < 2 || !slices.Contains([]string{"NAME", "HANDLER"}, strings.Trim(words[1], "[].")) {
			continue
		}
		c.ValidArgsFunction = func(c *cobra.Command, given []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			word := wordAt(words[1:], len(given), strings.Contains(c.Use, "..."))
			found, end := findCompletions(c.Context(), names, word, given, begun)
			return choose(found, given, begun), end | cobra.ShellCompDirectiveNoFileComp
		}
		ofHandler := func(ctx context.Context, given []string) []string {
			if len(given) == 0 {
				return nil
			}
			return names.Versions(ctx, given[0])
		}
		completeFlag(c, "to", ofHandler)
		completeFlag(c, "from", ofHandler)
	}
}

// wordAt returns the word of a usage for an argument; the last may stand for many.
func wordAt(words []string, n int, many bool) string {
	switch last := len(words) - 1; {
	case n <= last:
		return words[n]
	case many:
		return words[last]
	default:
		return ""
	}
}

// findCompletions returns what a word of a usage stands for, and whether more is to be typed
// behind it.
func findCompletions(ctx context.Context, names cluster.Names, word string, given []string, begun string) ([]string, cobra.ShellCompDirective) {
	switch trimmed := strings.Trim(word, "[]."); {
	case trimmed == "NAME":
		return findObjects(ctx, names, begun, status.KindHandler, status.KindModule), 0
	case trimmed == "HANDLER":
		return findObjects(ctx, names, begun, status.KindHandler), 0
	case strings.HasPrefix(trimmed, "VERSION="):
		found := names.Versions(ctx, given[0])
		for i := range found {
			found[i] += "="
		}
		return found, cobra.ShellCompDirectiveNoSpace
	case trimmed == "VERSION" || trimmed == "OLD" || trimmed == "NEW":
		return names.Versions(ctx, given[0]), 0
	default:
		return nil, 0
	}
}

// findObjects returns names of the kinds. Behind gh/ and the like they are those of one kind,
// with the word in front.
func findObjects(ctx context.Context, names cluster.Names, begun string, kinds ...string) []string {
	word, _, qualified := strings.Cut(begun, "/")
	if !qualified {
		return names.Objects(ctx, kinds...)
	}
	ref, err := cluster.ParseRef(word + "/any")
	if err != nil || !slices.Contains(kinds, ref.Kind) {
		return nil
	}
	found := names.Objects(ctx, ref.Kind)
	for i := range found {
		found[i] = word + "/" + found[i]
	}
	return found
}

// choose returns what begins as the user has, without what is given.
func choose(found, given []string, begun string) []cobra.Completion {
	return slices.DeleteFunc(found, func(name string) bool {
		return !strings.HasPrefix(name, begun) || slices.Contains(given, name)
	})
}

// completeFlag completes the values of a flag, where the command has it.
func completeFlag(cmd *cobra.Command, name string, find func(ctx context.Context, given []string) []string) {
	if cmd.Flag(name) == nil {
		return
	}
	err := cmd.RegisterFlagCompletionFunc(name, func(c *cobra.Command, given []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return choose(find(c.Context(), given), nil, begun), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the flag is there
	}
}

package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/env"
)

// completeNames lets every command complete the names that its usage asks for first:
// NAME is that of a handler or module, HANDLER that of a handler.
func completeNames(cmd *cobra.Command, e *env.Env) {
	for _, c := range cmd.Commands() {
		completeNames(c, e)
		words := strings.Fields(c.Use)
		if len(words) < 2 {
			continue
		}
		first := strings.Trim(words[1], "[].()")
		if first != "NAME" && first != "HANDLER" {
			continue
		}
		many := first == "NAME" && strings.Contains(c.Use, "...")
		find := cluster.CompleteNames(e, first == "NAME")
		c.ValidArgsFunction = func(c *cobra.Command, given []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(given) > 0 && !many {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return find(c.Context(), given), cobra.ShellCompDirectiveNoFileComp
		}
	}
}

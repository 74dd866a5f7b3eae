package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gati.dev/gati/internal/contract"
	"gati.dev/gati/pkg/cli/exit"
)

const note = "<!-- make generate wrote this page from the command; change it there. -->\n\n"

// commandPath returns the name of a command without that of the program.
func commandPath(cmd *cobra.Command) string {
	return strings.TrimSpace(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().CommandPath()))
}

// pageFile returns the file name of a command's page.
func pageFile(cmd *cobra.Command) string {
	return strings.ReplaceAll(commandPath(cmd), " ", "-") + ".md"
}

// renderIndex lists all commands, with the text that applies to all of them.
func renderIndex(root *cobra.Command, commands []*cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s%s", root.CommandPath(), note, toMarkdown(strings.TrimSuffix(root.Long, exit.Help)))
	b.WriteString("| command | what it does |\n|---|---|\n")
	for _, cmd := range commands {
		fmt.Fprintf(&b, "| [%s](%s) | %s |\n", commandPath(cmd), pageFile(cmd), toCell(cmd.Short))
	}
	b.WriteString("\n## Exit codes\n\nThey are the same whatever `-o` says. Each page lists those of its command.\n\n")
	writeExitCodes(&b, nil)
	b.WriteString(permissions)
	b.WriteString("\n## Flags of every command\n\nThey are kubectl's.\n\n")
	writeFlags(&b, root.PersistentFlags())
	return b.String()
}

const permissions = `
## Permissions

Each page lists all that its command asks the cluster, and what it does where that is forbidden. For a bare NAME it asks for a handler and for a module, and one of the two is enough. Verbs such as promote and traffic are no requests of their own: policies ask for them, see [requests.md](../requests.md). Everybody who is known to the cluster may create a SelfSubjectReview. The role view, into which gati-view is aggregated, has what the commands need that show something; the role edit, with gati-edit, has the rest.
`

// renderPage returns the page of one command.
func renderPage(cmd *cobra.Command) (string, error) {
	promised, found := contract.Of(commandPath(cmd))
	if !found {
		return "", fmt.Errorf("internal/contract does not speak of %q", commandPath(cmd))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s%s.\n\n```\n%s\n```\n\n", cmd.CommandPath(), note, toCell(cmd.Short), cmd.UseLine())
	b.WriteString(toMarkdown(cmd.Long))
	if cmd.Example != "" {
		fmt.Fprintf(&b, "## Examples\n\n```sh\n%s\n```\n\n", removeIndent(cmd.Example))
	}
	if own := cmd.LocalNonPersistentFlags(); own.HasAvailableFlags() {
		b.WriteString("## Flags\n\nBesides [those of every command](README.md#flags-of-every-command):\n\n")
		writeFlags(&b, own)
		b.WriteByte('\n')
	}
	b.WriteString("## Exit codes\n\n")
	writeExitCodes(&b, &promised)
	b.WriteString("\n## Permissions\n\n")
	writePermissions(&b, promised)
	return b.String(), nil
}

func writeFlags(b *strings.Builder, set *pflag.FlagSet) {
	b.WriteString("| flag | default | what it does |\n|---|---|---|\n")
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name := "`--" + f.Name + "`"
		if f.Shorthand != "" {
			name = "`-" + f.Shorthand + "`, " + name
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", name, defaultText(f), toCell(f.Usage))
	})
}

// defaultText returns a flag's default as a user writes it, empty for false.
func defaultText(f *pflag.Flag) string {
	switch f.DefValue {
	case "", "false", "[]", "0", "0s":
		return ""
	default:
		return "`" + f.DefValue + "`"
	}
}

// writePermissions writes the permissions that a command uses.
func writePermissions(b *strings.Builder, c contract.Command) {
	if c.Administrator {
		b.WriteString("Those of `cluster-admin`: it writes CRDs, webhook configurations, policies and rights. `--export` asks no cluster.\n")
		return
	}
	if len(c.Rights) == 0 {
		b.WriteString("None: it asks no cluster.\n")
		return
	}
	b.WriteString("| verb | resource | for | without it |\n|---|---|---|---|\n")
	for _, r := range c.Rights {
		without := r.Without
		if without == "" {
			without = "an error"
		}
		form := ""
		if r.For != "" {
			form = "`" + r.For + "`"
		}
		fmt.Fprintf(b, "| %s | `%s` | %s | %s |\n", r.Verb, r.Resource, form, without)
	}
}

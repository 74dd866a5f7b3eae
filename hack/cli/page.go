package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gati.dev/gati/pkg/cli/contract"
	"gati.dev/gati/pkg/cli/exit"
)

const note = "<!-- make generate wrote this page from the command; change it there. -->\n\n"

// path is the name of a command without that of the program.
func path(cmd *cobra.Command) string {
	return strings.TrimSpace(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().CommandPath()))
}

// file is the name of a command's page.
func file(cmd *cobra.Command) string { return strings.ReplaceAll(path(cmd), " ", "-") + ".md" }

// index lists all commands, and has what is the same for each.
func index(root *cobra.Command, commands []*cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s%s", root.CommandPath(), note, prose(strings.TrimSuffix(root.Long, exit.Help)))
	b.WriteString("| command | what it does |\n|---|---|\n")
	for _, cmd := range commands {
		fmt.Fprintf(&b, "| [%s](%s) | %s |\n", path(cmd), file(cmd), cell(cmd.Short))
	}
	b.WriteString("\n## Exit codes\n\nThey are the same whatever `-o` says. Each page lists those of its command.\n\n")
	codes(&b, nil)
	b.WriteString(permissions)
	b.WriteString("\n## Flags of every command\n\nThey are kubectl's.\n\n")
	flags(&b, root.PersistentFlags())
	return b.String()
}

const permissions = `
## Permissions

Each page lists all that its command asks the cluster, and what it does where that is forbidden. For a bare NAME it asks for a handler and for a module, and one of the two is enough. Verbs such as promote and traffic are no requests of their own: policies ask for them, see [requests.md](../requests.md). Everybody who is known to the cluster may create a SelfSubjectReview. The role view, into which gati-view is aggregated, has what the commands need that show something; the role edit, with gati-edit, has the rest.
`

// page is that of one command.
func page(cmd *cobra.Command) (string, error) {
	promised, found := contract.Of(path(cmd))
	if !found {
		return "", fmt.Errorf("pkg/cli/contract does not speak of %q", path(cmd))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s%s.\n\n```\n%s\n```\n\n", cmd.CommandPath(), note, cell(cmd.Short), cmd.UseLine())
	b.WriteString(prose(cmd.Long))
	if cmd.Example != "" {
		fmt.Fprintf(&b, "## Examples\n\n```sh\n%s\n```\n\n", unindented(cmd.Example))
	}
	if own := cmd.LocalNonPersistentFlags(); own.HasAvailableFlags() {
		b.WriteString("## Flags\n\nBesides [those of every command](README.md#flags-of-every-command):\n\n")
		flags(&b, own)
		b.WriteByte('\n')
	}
	b.WriteString("## Exit codes\n\n")
	codes(&b, &promised)
	b.WriteString("\n## Permissions\n\n")
	rights(&b, promised)
	return b.String(), nil
}

func flags(b *strings.Builder, set *pflag.FlagSet) {
	b.WriteString("| flag | default | what it does |\n|---|---|---|\n")
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name := "`--" + f.Name + "`"
		if f.Shorthand != "" {
			name = "`-" + f.Shorthand + "`, " + name
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", name, value(f), cell(f.Usage))
	})
}

// value is a flag's default, as one would write it; empty for what is off.
func value(f *pflag.Flag) string {
	switch f.DefValue {
	case "", "false", "[]", "0", "0s":
		return ""
	default:
		return "`" + f.DefValue + "`"
	}
}

// rights are the permissions that a command uses.
func rights(b *strings.Builder, c contract.Command) {
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

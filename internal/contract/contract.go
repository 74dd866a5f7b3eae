// Package contract lists the rights that each command of the plugin needs in the cluster,
// and the exit codes that it can end with. docs/cli is generated from it, and tests compare
// it with the requests and exits of the commands.
//
// The package must not know of the commands themselves: the plugin does not link it.
package contract

import (
	"slices"
	"strings"

	"gati.dev/gati/pkg/cli/exit"
)

// Command is the contract of one command.
type Command struct {
	// Path is its name without that of the program: "rollout promote"; empty for the
	// program itself.
	Path   string
	Rights []Right
	// Administrator is true when it needs the rights of cluster-admin, since it writes
	// CRDs, webhook configurations and rights. Tests hold that against an API server.
	Administrator bool
	// Exits are its exit codes besides those that every command has, and the one of
	// a server that does not answer in time.
	Exits []int
	// Means says what a code means where the command gives it a meaning of its own.
	Means map[int]string
}

// Right is one that a command uses.
type Right struct {
	Verb string
	// Resource is as RBAC has it, RESOURCE.GROUP/SUBRESOURCE, or a non-resource path.
	Resource string
	// For says which form of the command uses it; empty for all of them.
	For string
	// Without says what the command does without it. Where it is empty, the command
	// ends with an error.
	Without string
}

func (r Right) String() string { return r.Verb + " " + r.Resource }

// Codes returns all exit codes of the command, in their order.
func (c Command) Codes() []int {
	out := slices.Concat(common, c.Exits)
	if len(c.Rights) > 0 || c.Administrator {
		out = append(out, exit.Timeout)
	}
	slices.Sort(out)
	return out
}

// Uses returns what is said of a right in a form of the command.
func (c Command) Uses(right, form string) (Right, bool) {
	var other []Right
	for _, r := range c.Rights {
		switch {
		case r.String() != right:
		case r.For == form:
			return r, true
		default:
			other = append(other, r)
		}
	}
	if len(other) != 1 {
		return Right{}, false
	}
	return other[0], true
}

// Of returns what a command promises.
func Of(path string) (Command, bool) {
	i := slices.IndexFunc(commands, func(c Command) bool { return c.Path == path })
	if i < 0 {
		return Command{}, false
	}
	return commands[i], true
}

// Named returns the command that arguments begin with, the longest name there is.
func Named(args []string) (Command, bool) {
	for n := min(2, len(args)); n > 0; n-- {
		if c, found := Of(strings.Join(args[:n], " ")); found {
			return c, true
		}
	}
	return Command{}, false
}

// Commands returns the paths of all commands that are spoken of.
func Commands() []string {
	out := make([]string, len(commands))
	for i, c := range commands {
		out[i] = c.Path
	}
	return out
}

package doctor

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gati.dev/gati/pkg/cli/doctor/checkup"
	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/remedy"
)

// fixProblems runs the commands that solve what was found, and returns what is found then.
func (o *options) fixProblems(ctx context.Context, found []checkup.Finding, namespace string, flags []string) ([]checkup.Finding, error) {
	var commands []string
	for _, f := range found {
		for _, c := range f.Fix {
			if !slices.Contains(commands, c) {
				commands = append(commands, c)
			}
		}
	}
	if len(commands) == 0 {
		return found, nil
	}
	question := "These commands will be run:\n  " + strings.Join(commands, "\n  ")
	if err := o.confirm.Ask(o.env, question); err != nil {
		return nil, err
	}
	for _, c := range commands {
		fmt.Fprintln(o.env.Streams.ErrOut, output.Line(c))
		if err := o.runPipe(ctx, remedy.ParsePipe(c), flags); err != nil {
			return nil, fmt.Errorf("%s: %w", c, err)
		}
	}
	return examine(ctx, o.env, o.pre, namespace)
}

// runPipe runs commands, each on the output of the one before, on the cluster of this one.
func (o *options) runPipe(ctx context.Context, pipe [][]string, flags []string) error {
	var in io.Reader
	for i, args := range pipe {
		name, args, err := resolveProgram(args, flags)
		if err != nil {
			return err
		}
		var out bytes.Buffer
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &out, o.env.Streams.ErrOut
		if i == len(pipe)-1 {
			cmd.Stdout = o.env.Streams.ErrOut // the report is all of the standard output
		}
		if err := cmd.Run(); err != nil {
			return err
		}
		in = &out
	}
	return nil
}

// resolveProgram returns what runs a command: this program for its own, which was confirmed.
func resolveProgram(args, flags []string) (name string, rest []string, err error) {
	name, rest = args[0], slices.Clone(args[1:])
	if name == "kubectl" && rest[0] == "gati" {
		name, err = os.Executable()
		rest = append(rest[1:], "--yes")
	}
	for _, f := range flags {
		if name == "helm" {
			f = strings.NewReplacer("--context=", "--kube-context=", "--as=", "--kube-as-user=").Replace(f)
		}
		rest = append(rest, f)
	}
	return name, rest, err
}

// connectionFlags are the flags by which the user chose a cluster. The commands name their
// namespace themselves.
func connectionFlags(cmd *cobra.Command) (flags []string) {
	cmd.InheritedFlags().Visit(func(f *pflag.Flag) {
		if f.Name != "namespace" {
			flags = append(flags, "--"+f.Name+"="+f.Value.String())
		}
	})
	return flags
}

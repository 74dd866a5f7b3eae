// Package explain is the command "kubectl gati explain": why a handler or module is
// not serving. It renders an Explanation of pkg/status.
package explain

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/status"
)

const long = `Explains why a handler or module is not serving: the first obstacle, its evidence and
the remedy, followed by the whole chain from the spec to the callers, link by link.

The exit code is that of "status NAME": 0 when it is healthy, 4 when a rollout waits
for a request, 3 otherwise. With -o json and the like, the output is one object of the
kind Explanation, cli.gati.dev/v1.`

// options are the command's flags.
type options struct {
	env    *env.Env
	format *output.Format
	color  output.ColorFlag
}

// NewCommand returns the command.
func NewCommand(e *env.Env) *cobra.Command {
	o := &options{env: e, format: output.NewFormat()}
	cmd := &cobra.Command{
		Use:               "explain NAME | gh/NAME | gm/NAME",
		SuggestFor:        []string{"describe", "events", "why"},
		Short:             "Explain why a handler or module is not serving",
		Long:              long,
		Example:           "  kubectl gati explain users\n  kubectl gati explain gm/db -o jsonpath='{.cause.next}'",
		Args:              env.Usage(cobra.ExactArgs(1)),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	o.format.AddTo(cmd)
	o.color.AddTo(cmd)
	return cmd
}

func (o *options) run(ctx context.Context, name string) error {
	ref, err := cluster.ParseRef(name)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	printer, err := o.format.Printer()
	if err != nil {
		return err
	}
	painter, err := o.color.Painter(o.env.Streams.Out)
	if err != nil {
		return err
	}
	s, err := o.readSnapshot(ctx, ref)
	if err != nil {
		return err
	}
	explained := buildExplanation(&s)
	switch {
	case o.format.Name() == "name":
		return exit.Usagef("an explanation has no name; use json, yaml or a template")
	case printer != nil:
		document, convertErr := runtime.DefaultUnstructuredConverter.ToUnstructured(&explained)
		if convertErr != nil {
			return fmt.Errorf("print: %w", convertErr)
		}
		err = output.Print(printer, o.env.Streams.Out, &unstructured.Unstructured{Object: document})
	default:
		err = o.printExplanation(&s, explained, painter)
	}
	if err != nil {
		return err
	}
	return exitError(explained.Health)
}

func (o *options) readSnapshot(ctx context.Context, ref cluster.Ref) (status.Snapshot, error) {
	namespace, err := o.env.Namespace()
	if err != nil {
		return status.Snapshot{}, err
	}
	c, err := cluster.Connect(o.env)
	if err != nil {
		return status.Snapshot{}, err
	}
	ctx, cancel := cluster.Bounded(ctx, o.env)
	defer cancel()
	objs, err := cluster.Named(ctx, c, namespace, ref)
	cluster.ProbeAnswers(ctx, c, &objs)
	return status.Build(objs, o.env.Now()), err
}

func buildExplanation(s *status.Snapshot) status.Explanation {
	if len(s.Handlers) > 0 {
		return s.ExplainHandler(&s.Handlers[0])
	}
	return s.ExplainModule(&s.Modules[0])
}

// colors are those of the states.
var colors = map[status.LinkState]output.Color{status.Holds: output.Good, status.Waits: output.Busy, status.Fails: output.Bad, status.Unknown: output.Faint}

func (o *options) printExplanation(s *status.Snapshot, e status.Explanation, p output.Painter) error {
	head := output.Table{}
	head.Row(output.Cell{Text: cluster.Short(e.Of) + "/" + e.Name, Color: output.Bold}, output.Plain(healthLine(e)))
	if e.Cause != nil {
		head.Row(output.Cell{Text: "because"}, output.Plain(e.Cause.Evidence))
		head.Row(output.Cell{Text: "next"}, output.Plain(e.Cause.Next))
	}
	if e.See != "" {
		head.Row(output.Cell{Text: "see"}, output.Plain(e.See))
	}
	for i, sentence := range e.Analysis {
		name := ""
		if i == 0 {
			name = "analysis"
		}
		head.Row(output.Cell{Text: name}, output.Plain(sentence))
	}
	if err := head.Write(o.env.Streams.Out, p); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(o.env.Streams.Out); err != nil {
		return err
	}
	chain := output.Table{Width: output.Width(o.env.Streams.Out)}
	chain.Header("LINK", "STATE", "EVIDENCE")
	for _, l := range e.Links {
		chain.Row(output.Plain(l.Name), output.Cell{Text: string(l.State), Color: colors[l.State]}, output.Plain(l.Evidence))
	}
	for _, u := range s.Unread {
		fmt.Fprintf(o.env.Streams.ErrOut, "warning: %s could not be read: %s\n", u.Resource, output.Line(u.Reason))
	}
	return chain.Write(o.env.Streams.Out, p)
}

// healthLine returns the health in one line.
func healthLine(e status.Explanation) string {
	if e.Cause == nil {
		return string(e.Health) + ": no obstacle"
	}
	switch {
	case e.Cause.State == status.Fails || status.NeedsAttention(e.Health):
		return string(e.Health) + ": action needed"
	default:
		return string(e.Health) + ": in progress"
	}
}

func exitError(h status.Health) error {
	switch h {
	case status.Healthy:
		return nil
	case status.Paused:
		return exit.Silent(exit.Paused)
	default:
		return exit.Silent(exit.Unhealthy)
	}
}

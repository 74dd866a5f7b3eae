package rollout

import (
	"fmt"

	"github.com/spf13/cobra"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/ask"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/cli/status"
	model "gati.dev/gati/pkg/status"
)

// history is the JSON form of the history: kind History, cli.gati.dev/v1.
type history struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Handler    string `json:"handler"`
	// Entries and Requests are oldest first.
	Entries  []v1.HistoryEntry   `json:"entries"`
	Requests []v1.HandledRequest `json:"requests"`
}

func newHistory(e *env.Env) *cobra.Command {
	format, color := output.NewFormat(), &output.ColorFlag{}
	cmd := &cobra.Command{
		Use:   "history NAME",
		Short: "Show the rollout history: who, what, from, to and why",
		Long: `Shows the last 32 entries, the latest first. With -o json also the last 64 requests
and their outcomes.`,
		Example:           "  kubectl gati rollout history users",
		Args:              env.Usage(cobra.ExactArgs(1)),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			return showHistory(cmd, e, format, color, args[0])
		},
	}
	format.AddTo(cmd)
	color.AddTo(cmd)
	return cmd
}

func showHistory(cmd *cobra.Command, e *env.Env, format *output.Format, color *output.ColorFlag, handler string) error {
	name, err := ask.HandlerName(handler)
	if err != nil {
		return err
	}
	if _, err := format.Printer(); err != nil {
		return err
	}
	painter, err := color.Painter(e.Streams.Out)
	if err != nil {
		return err
	}
	seen, err := readHistory(cmd, e, name)
	if err != nil {
		return err
	}
	if printed, err := printDocument(e, format, &seen); printed || err != nil {
		return err
	}
	if len(seen.Entries) == 0 {
		fmt.Fprintf(e.Streams.ErrOut, "No history for gh/%s yet.\n", name)
		return nil
	}
	now := model.Build(model.Objects{}, e.Now())
	table := &output.Table{Width: output.Width(e.Streams.Out)}
	status.HistoryRows(table, &now, seen.Entries)
	return table.Write(e.Streams.Out, painter)
}

func readHistory(cmd *cobra.Command, e *env.Env, name string) (history, error) {
	namespace, err := e.Namespace()
	if err != nil {
		return history{}, err
	}
	c, err := cluster.Connect(e)
	if err != nil {
		return history{}, err
	}
	ctx, cancel := cluster.Bounded(cmd.Context(), e)
	defer cancel()
	h, err := cluster.Handler(ctx, c, namespace, name)
	if err != nil {
		return history{}, err
	}
	out := history{
		APIVersion: model.APIVersion, Kind: "History", Namespace: namespace, Handler: name,
		Entries: []v1.HistoryEntry{}, Requests: []v1.HandledRequest{},
	}
	if ro := h.Status.Rollout; ro != nil {
		out.Entries, out.Requests = append(out.Entries, ro.History...), append(out.Requests, ro.Requests...)
	}
	return out, nil
}

package version

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/ask"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/cli/status"
	model "gati.dev/gati/pkg/status"
)

// Item is one version of one handler. With -o json, "get" prints one of the kind
// Version and "list" a VersionList of them, cli.gati.dev/v1.
type Item struct {
	APIVersion    string `json:"apiVersion,omitempty"`
	Kind          string `json:"kind,omitempty"`
	Namespace     string `json:"namespace"`
	Handler       string `json:"handler"`
	model.Version `json:",inline"`
}

// list is the JSON form of "list".
type list struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Items      []Item         `json:"items"`
	Unread     []model.Unread `json:"unread,omitempty"`
}

// lister are the flags of "list".
type lister struct {
	env    *env.Env
	format *output.Format
	color  output.ColorFlag
	all    bool
}

func newList(e *env.Env) *cobra.Command {
	l := &lister{env: e, format: output.NewFormat()}
	cmd := &cobra.Command{
		Use:               "list [HANDLER]",
		Short:             "List the versions of one handler or of a namespace",
		Example:           "  kubectl gati version list\n  kubectl gati version list users",
		Args:              env.Usage(cobra.MaximumNArgs(1)),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, args []string) error { return l.run(cmd.Context(), args) },
	}
	cmd.Flags().BoolVarP(&l.all, "all-namespaces", "A", false, "List the versions in all namespaces.")
	l.format.AddTo(cmd)
	l.color.AddTo(cmd)
	return cmd
}

func (l *lister) run(ctx context.Context, args []string) error {
	printer, err := l.format.Printer()
	if err != nil {
		return err
	}
	painter, err := l.color.Painter(l.env.Streams.Out)
	if err != nil {
		return err
	}
	s, err := l.readSnapshot(ctx, args)
	if err != nil {
		return err
	}
	if printer != nil {
		return printAs(l.env, l.format, printer, newVersionList(s), recordObjects(s)...)
	}
	for _, u := range s.Unread {
		fmt.Fprintf(l.env.Streams.ErrOut, "warning: %s could not be read: %s\n", u.Resource, output.Line(u.Reason))
	}
	return l.printTable(s, painter)
}

// readSnapshot builds the view of one handler or of all.
func (l *lister) readSnapshot(ctx context.Context, args []string) (model.Snapshot, error) {
	if len(args) == 1 {
		_, s, err := readHandler(ctx, l.env, args[0])
		return s, err
	}
	namespace := ""
	if !l.all {
		var err error
		if namespace, err = l.env.Namespace(); err != nil {
			return model.Snapshot{}, err
		}
	}
	c, err := cluster.Connect(l.env)
	if err != nil {
		return model.Snapshot{}, err
	}
	ctx, cancel := cluster.Bounded(ctx, l.env)
	defer cancel()
	objs, err := cluster.Namespace(ctx, c, namespace, "")
	return model.Build(objs, l.env.Now()), err
}

// readHandler reads one handler with its children and records.
func readHandler(ctx context.Context, e *env.Env, handler string) (model.Objects, model.Snapshot, error) {
	name, err := ask.HandlerName(handler)
	if err != nil {
		return model.Objects{}, model.Snapshot{}, err
	}
	namespace, err := e.Namespace()
	if err != nil {
		return model.Objects{}, model.Snapshot{}, err
	}
	c, err := cluster.Connect(e)
	if err != nil {
		return model.Objects{}, model.Snapshot{}, err
	}
	ctx, cancel := cluster.Bounded(ctx, e)
	defer cancel()
	objs, err := cluster.Named(ctx, c, namespace, cluster.Ref{Kind: model.KindHandler, Name: name})
	return objs, model.Build(objs, e.Now()), err
}

func newVersionList(s model.Snapshot) *list {
	out := &list{APIVersion: model.APIVersion, Kind: "VersionList", Items: []Item{}, Unread: s.Unread}
	for _, h := range s.Handlers {
		for _, v := range h.Versions {
			out.Items = append(out.Items, Item{Namespace: h.Namespace, Handler: h.Name, Version: v})
		}
	}
	return out
}

func (l *lister) printTable(s model.Snapshot, p output.Painter) error {
	table := output.Table{Width: output.Width(l.env.Streams.Out)}
	columns := append([]string{"HANDLER"}, status.VersionColumns()...)
	if l.all {
		columns = append([]string{"NAMESPACE"}, columns...)
	}
	table.Header(columns...)
	none := true
	for i := range s.Handlers {
		h := &s.Handlers[i]
		for j := range h.Versions {
			cells := append([]output.Cell{output.Plain(h.Name)}, status.VersionCells(h, &h.Versions[j])...)
			if l.all {
				cells = append([]output.Cell{output.Plain(h.Namespace)}, cells...)
			}
			table.Row(cells...)
			none = false
		}
	}
	if none {
		fmt.Fprintln(l.env.Streams.ErrOut, "No versions found.")
		return nil
	}
	return table.Write(l.env.Streams.Out, p)
}

package status

import (
	"fmt"
	"strings"

	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/output"
	model "gati.dev/gati/pkg/status"
)

// printTable writes one line for each handler and module, then the records without a
// handler.
func (o *options) printTable(s model.Snapshot) error {
	defer o.warnUnread(s)
	if len(s.Items()) == 0 && len(s.Unbound) == 0 {
		o.printNothing()
		return nil
	}
	wide := o.format.Name() == "wide"
	table := output.Table{}
	if !wide {
		table.Width = output.Width(o.env.Streams.Out)
	}
	table.Header(o.tableColumns(wide)...)
	for i := range s.Handlers {
		h := &s.Handlers[i]
		o.addRow(&table, &s, &h.Item, h.Version, wide, h.Path, string(h.Strategy))
	}
	for i := range s.Modules {
		m := &s.Modules[i]
		o.addRow(&table, &s, &m.Item, "", wide, "", string(m.Type))
	}
	if len(s.Items()) > 0 {
		if err := table.Write(o.env.Streams.Out, o.painter); err != nil {
			return err
		}
	}
	return o.printUnbound(s)
}

// printNothing reports an empty result as kubectl does.
func (o *options) printNothing() {
	if o.all {
		fmt.Fprintln(o.env.Streams.ErrOut, "No resources found")
		return
	}
	fmt.Fprintf(o.env.Streams.ErrOut, "No resources found in %s namespace.\n", o.scope.Namespace)
}

func (o *options) tableColumns(wide bool) []string {
	var names []string
	if o.all {
		names = append(names, "NAMESPACE")
	}
	names = append(names, "NAME", "VERSION", "READY", "HEALTH", "AGE")
	if wide {
		names = append(names, "PATH", "TYPE", "IMAGE")
	}
	return append(names, "REASON")
}

// addRow adds the line of one item. Healthy ones need no reason.
func (o *options) addRow(t *output.Table, s *model.Snapshot, item *model.Item, version string, wide bool, path, kind string) {
	var cells []output.Cell
	if o.all {
		cells = append(cells, output.Plain(item.Namespace))
	}
	cells = append(cells,
		output.Plain(cluster.Short(item.Kind)+"/"+item.Name),
		output.Plain(version),
		output.Plain(fmt.Sprintf("%d/%d", item.Ready, item.Desired)),
		output.Cell{Text: string(item.Health), Color: colorOf(item.Health)},
		output.Plain(s.Age(item.CreatedAt)),
	)
	if wide {
		cells = append(cells, output.Plain(path), output.Plain(kind), output.Plain(item.Image))
	}
	reason := output.Cell{}
	if item.Health != model.Healthy {
		reason.Text = item.Reason
	}
	t.Row(append(cells, reason)...)
}

// printUnbound writes the records without a handler: they have no effect, which their
// authors do not expect.
func (o *options) printUnbound(s model.Snapshot) error {
	if len(s.Unbound) == 0 {
		return nil
	}
	table := output.Table{Indent: "  ", Width: output.Width(o.env.Streams.Out)}
	for _, r := range s.Unbound {
		name := "gv/" + r.Name
		if o.all {
			name = r.Namespace + "/" + name
		}
		table.Row(output.Plain(name), output.Plain(r.Version), output.Plain(s.Age(r.CreatedAt)), output.Plain(r.Reason))
	}
	var title strings.Builder
	if len(s.Items()) > 0 {
		title.WriteByte('\n')
	}
	title.WriteString(o.painter.Paint(output.Bold, "Version records without a handler") + "\n")
	if _, err := fmt.Fprint(o.env.Streams.Out, title.String()); err != nil {
		return err
	}
	return table.Write(o.env.Streams.Out, o.painter)
}

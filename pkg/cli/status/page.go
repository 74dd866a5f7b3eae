package status

import (
	"fmt"
	"io"
	"strings"

	"gati.dev/gati/pkg/cli/output"
	model "gati.dev/gati/pkg/status"
)

// page writes everything about one item; empty sections are left out.
type page struct {
	out     io.Writer
	painter output.Painter
	width   int
	snap    *model.Snapshot
	wide    bool
	err     error
}

// printNamed writes the page of the one item that the snapshot holds.
func (o *options) printNamed(s model.Snapshot) error {
	defer o.warnUnread(s)
	p := &page{out: o.env.Streams.Out, painter: o.painter, snap: &s, wide: o.format.Name() == "wide"}
	if !p.wide {
		p.width = output.Width(p.out)
	}
	for i := range s.Handlers {
		p.writeHandler(&s.Handlers[i])
	}
	for i := range s.Modules {
		p.writeModule(&s.Modules[i])
	}
	return p.err
}

func (p *page) writeHandler(h *model.Handler) {
	head := p.newHead("Handler", &h.Item)
	methods := make([]string, len(h.Methods))
	for i, m := range h.Methods {
		methods[i] = string(m)
	}
	head.addLine("Path", strings.TrimSpace(h.Path+" "+strings.Join(methods, ",")))
	head.addLine("Version", h.Version)
	head.addLine("Image", h.Image)
	head.addLine("Strategy", string(h.Strategy))
	head.addLine("Modules", joinNames(h.Modules))
	p.addRollout(head, h)
	p.addScaling(head, &h.Item)
	p.writeTable(&head.table)
	p.writeVersions(h)
	p.writeAnalysis(h)
	p.writeHistory(h)
	p.writeShared(&h.Item)
}

func (p *page) writeModule(m *model.Module) {
	head := p.newHead("Module", &m.Item)
	head.addLine("Type", strings.TrimSpace(string(m.Type)+" "+m.Runtime))
	head.addLine("Image", m.Image)
	head.addLine("Capabilities", joinNames(m.Capabilities))
	users := joinNames(m.UsedBy)
	if m.UsedByMore {
		users += " and more"
	}
	head.addLine("Used by", users)
	p.addScaling(head, &m.Item)
	p.writeTable(&head.table)
	p.writeShared(&m.Item)
}

func joinNames[T ~string](names []T) string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = string(name)
	}
	return strings.Join(out, ", ")
}

// writeShared writes the sections that handlers and modules share.
func (p *page) writeShared(item *model.Item) {
	p.writePods(item)
	p.writeChildren(item)
	p.writeConditions(item)
	p.writeDerived(item)
}

// head are the lines at the top. They are never cut: they contain the problem.
type head struct{ table output.Table }

func (h *head) addLine(name, value string) {
	if value != "" {
		h.table.Row(output.Cell{Text: name, Color: output.Faint}, output.Plain(value))
	}
}

func (p *page) newHead(kind string, item *model.Item) *head {
	h := &head{}
	h.addLine(kind, fmt.Sprintf("%s (namespace %s, %s old)", item.Name, item.Namespace, p.snap.Age(item.CreatedAt)))
	health := item.Reason
	if !strings.HasPrefix(health, string(item.Health)) {
		health = string(item.Health) + ": " + health
	}
	h.table.Row(
		output.Cell{Text: "Health", Color: output.Faint},
		output.Cell{Text: health, Color: colorOf(item.Health)},
	)
	h.addLine("Next", item.Next)
	return h
}

// addScaling adds the state of the autoscalers.
func (p *page) addScaling(h *head, item *model.Item) {
	for _, w := range item.Workloads {
		a := w.Autoscaler
		if a == nil {
			continue
		}
		text := fmt.Sprintf("%d pods, between %d and %d", a.Current, a.Min, a.Max)
		if a.Desired != a.Current {
			text += fmt.Sprintf(", scaling to %d", a.Desired)
		}
		if limit := a.Limit.Describe(); limit != "" {
			text += ", " + limit
		}
		if a.Message != "" {
			text += "; " + a.Message
		}
		name := "Autoscaler"
		if a.Keda {
			name = "KEDA"
		}
		if len(item.Workloads) > 1 {
			name += " " + w.Name
		}
		h.addLine(name, text)
	}
}

func (p *page) writeTitle(text string) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, "\n%s\n", p.painter.Paint(output.Bold, text))
	}
}

func (p *page) writeTable(t *output.Table) {
	if p.err == nil {
		p.err = t.Write(p.out, p.painter)
	}
}

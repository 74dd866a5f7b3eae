package version

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/ask"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/ownership"
	"gati.dev/gati/pkg/printable"
	model "gati.dev/gati/pkg/status"
)

// Change is one field of one record.
type Change struct {
	Version string `json:"version"`
	Record  string `json:"record"`
	// Field is that of the spec; From and To are its values as text.
	Field string `json:"field"`
	From  string `json:"from"`
	To    string `json:"to"`
}

// edit is a planned change.
type edit struct {
	Change
	value  any
	record *v1.GatiVersion
	// derived reports whether the value was computed from the one before, which must
	// not have changed in between.
	derived bool
	// movesTraffic reports whether it needs a confirmation.
	movesTraffic bool
}

// edits is the JSON form of the changes: kind EditList, cli.gati.dev/v1.
type edits struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Namespace  string   `json:"namespace"`
	Handler    string   `json:"handler"`
	DryRun     bool     `json:"dryRun,omitempty"`
	Reason     string   `json:"reason,omitempty"`
	Items      []Change `json:"items"`
	// Shares are the shares of the traffic before and after, in percent, where the changes
	// affect them; Note is a remark on the changes.
	Shares []Shift `json:"shares,omitempty"`
	Note   string  `json:"note,omitempty"`
	Undo   string  `json:"undo,omitempty"`
}

// Shift is the share of one version before and after, in percent.
type Shift struct {
	Version string `json:"version"`
	From    int32  `json:"from"`
	To      int32  `json:"to"`
}

// planned are changes with their effect. undo is the command that reverts them.
type planned struct {
	items  []edit
	shares []Shift
	note   string
	undo   string
}

// editor are the flags of a command that edits records.
type editor struct {
	env     *env.Env
	format  *output.Format
	dryRun  bool
	reason  ask.Reason
	confirm ask.Confirmation
}

func newEditor(e *env.Env, cmd *cobra.Command) *editor {
	o := &editor{env: e, format: output.NewFormat()}
	ask.AddDryRun(cmd, &o.dryRun, "Have the server validate the change; store nothing.")
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	o.reason.AddTo(cmd, "an annotation of the record")
	o.confirm.AddTo(cmd)
	o.format.AddTo(cmd)
	return o
}

// plan returns the changes of a command.
type plan func(model.Objects, *model.Handler) (planned, error)

// run makes all planned changes, or none where another manager owns one of the fields.
func (o *editor) run(ctx context.Context, handler string, p plan) error {
	if err := o.reason.Check(); err != nil {
		return err
	}
	printer, err := o.format.Printer()
	if err != nil {
		return err
	}
	objs, s, err := readHandler(ctx, o.env, handler)
	if err != nil {
		return err
	}
	h := &s.Handlers[0]
	todo, err := p(objs, h)
	if err != nil {
		return err
	}
	if err := o.checkManagers(todo.items); err != nil {
		return err
	}
	if err := o.confirmTraffic(h, todo); err != nil {
		return err
	}
	if err := o.writeEdits(ctx, todo.items); err != nil {
		return err
	}
	if !slices.ContainsFunc(todo.items, func(e edit) bool { return e.From != e.To }) {
		todo.undo = ""
	}
	done := &edits{model.APIVersion, "EditList", h.Namespace, h.Name, o.dryRun, o.reason.Text, listChanges(todo.items), todo.shares, todo.note, todo.undo}
	if printer != nil {
		return printAs(o.env, o.format, printer, done, recordsOf(todo.items)...)
	}
	return o.printEdits(done)
}

func listChanges(items []edit) []Change {
	out := make([]Change, len(items))
	for i, e := range items {
		out[i] = e.Change
	}
	return out
}

func recordsOf(items []edit) []runtime.Object {
	var out []runtime.Object
	for _, e := range items {
		out = append(out, namedObject(e.record.Namespace, e.Record))
	}
	return out
}

// checkManagers refuses fields of another manager and prints the edits to make there.
func (o *editor) checkManagers(items []edit) error {
	var errs []error
	for _, e := range items {
		manager := ownership.FindOther(e.record.ManagedFields, e.Field, v1.PluginManager, v1.FieldManager)
		if manager == "" {
			continue
		}
		errs = append(errs, fmt.Errorf("spec.%s of gv/%s is managed by %s, which would revert the change; make the edit there", e.Field, e.Record, manager))
		manifest, err := output.YAML(map[string]any{
			"apiVersion": v1.GroupVersion.String(), "kind": "GatiVersion",
			"metadata": map[string]any{"name": e.Record, "namespace": e.record.Namespace},
			"spec":     map[string]any{e.Field: e.value},
		})
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(output.Data(o.env.Streams.Out), "---\n%s", manifest); err != nil {
			return err
		}
	}
	return errors.Join(errs...)
}

// confirmTraffic prompts on a terminal before traffic moves.
func (o *editor) confirmTraffic(h *model.Handler, todo planned) error {
	var lines []string
	for _, e := range todo.items {
		if e.movesTraffic && e.From != e.To {
			lines = append(lines, fmt.Sprintf("gh/%s: %s: spec.%s: %s → %s", h.Name, e.Version, e.Field, e.From, e.To))
		}
	}
	if o.dryRun || len(lines) == 0 {
		return nil
	}
	if len(todo.shares) > 0 {
		lines = append(lines, "gh/"+h.Name+": "+describeShifts(todo.shares))
	}
	return o.confirm.Ask(o.env, strings.Join(printable.Copy(append(lines, nonEmpty(todo.note)...)), "\n"))
}

func nonEmpty(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// describeShifts returns the shares before and after in one line.
func describeShifts(shares []Shift) string {
	parts := make([]string, len(shares))
	for i, s := range shares {
		parts[i] = fmt.Sprintf("%s %d%% → %d%%", s.Version, s.From, s.To)
		if s.From == s.To {
			parts[i] = fmt.Sprintf("%s %d%%", s.Version, s.To)
		}
	}
	return strings.Join(parts, ", ")
}

func (o *editor) writeEdits(ctx context.Context, items []edit) error {
	c, err := cluster.Connect(o.env)
	if err != nil {
		return err
	}
	ctx, cancel := cluster.Bounded(ctx, o.env)
	defer cancel()
	for i, e := range items {
		if e.From == e.To {
			continue
		}
		if err := o.patchRecord(ctx, c, e); err != nil {
			return fmt.Errorf("gv/%s: %w%s", e.Record, err, describeDone(items[:i]))
		}
	}
	return nil
}

func (o *editor) patchRecord(ctx context.Context, c client.Client, e edit) error {
	metadata := map[string]any{}
	if e.derived {
		metadata["resourceVersion"] = e.record.ResourceVersion
	}
	switch _, had := e.record.Annotations[v1.AnnotationRequestReason]; {
	case o.reason.Text != "":
		metadata["annotations"] = map[string]any{v1.AnnotationRequestReason: o.reason.Text}
	case had: // the reason of an earlier change
		metadata["annotations"] = map[string]any{v1.AnnotationRequestReason: nil}
	}
	body := map[string]any{"spec": map[string]any{e.Field: e.value}}
	if len(metadata) > 0 {
		body["metadata"] = metadata
	}
	return cluster.Merge(ctx, c, e.record, body, o.dryRun)
}

// describeDone names the changes made before a failure.
func describeDone(items []edit) string {
	text := ""
	for _, e := range items {
		text += fmt.Sprintf("; spec.%s of gv/%s is already %s", e.Field, e.Record, e.To)
	}
	return text
}

func (o *editor) printEdits(done *edits) error {
	t := output.Table{}
	for _, e := range done.Items {
		note := ""
		switch {
		case e.From == e.To:
			note = "unchanged"
		case done.DryRun:
			note = "dry run"
		}
		t.Row(output.Plain("gv/"+e.Record), output.Plain(e.Version), output.Plain(fmt.Sprintf("spec.%s: %s → %s", e.Field, e.From, e.To)), output.Cell{Text: note})
	}
	if err := t.Write(o.env.Streams.Out, output.Painter{}); err != nil {
		return err
	}
	for _, line := range [][2]string{{"shares", describeShifts(done.Shares)}, {"note", done.Note}, {"reason", done.Reason}, {"undo", done.Undo}} {
		if line[1] == "" {
			continue
		}
		if _, err := fmt.Fprintf(o.env.Streams.Out, "%s: %s\n", line[0], output.Line(line[1])); err != nil {
			return err
		}
	}
	return nil
}

// findRecord returns the effective record of a version.
func findRecord(objs model.Objects, h *model.Handler, version string) (*model.Version, *v1.GatiVersion, error) {
	v, err := findVersion(h, version)
	if err != nil {
		return nil, nil, err
	}
	for i := range objs.Versions {
		if v.Record != nil && objs.Versions[i].Name == v.Record.Name {
			return v, &objs.Versions[i], nil
		}
	}
	return nil, nil, fmt.Errorf("gh/%s has no readable record of %s yet; its controller writes one when the version serves, so try again in a moment", h.Name, v.Version)
}

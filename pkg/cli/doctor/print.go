package doctor

import (
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"gati.dev/gati/pkg/cli/doctor/checkup"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/printable"
	"gati.dev/gati/pkg/status"
)

// Report is the output of -o json, of the kind Checkup, cli.gati.dev/v1.
type Report struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Namespace is the one whose handlers were checked, empty for all.
	Namespace string            `json:"namespace,omitempty"`
	Problems  int               `json:"problems"`
	Notes     int               `json:"notes"`
	Unknown   int               `json:"unknown"`
	Findings  []checkup.Finding `json:"findings"`
}

func newReport(found []checkup.Finding, namespace string) *Report {
	r := &Report{APIVersion: status.APIVersion, Kind: "Checkup", Namespace: namespace, Findings: found}
	for _, f := range found {
		switch f.Level {
		case checkup.Problem:
			r.Problems++
		case checkup.Note:
			r.Notes++
		case checkup.Unknown:
			r.Unknown++
		case checkup.OK:
		}
	}
	return r
}

var colors = map[checkup.Level]output.Color{
	checkup.OK: output.Good, checkup.Note: output.Busy, checkup.Unknown: output.Faint, checkup.Problem: output.Bad,
}

func (o *options) printReport(r *Report) error {
	out := o.env.Streams.Out
	switch {
	case o.format.Name() == "name":
		return exit.Usagef("findings have no names; the formats are short, json, yaml and their templates")
	case o.printer != nil:
		document, err := runtime.DefaultUnstructuredConverter.ToUnstructured(r)
		if err != nil {
			return fmt.Errorf("print: %w", err)
		}
		return output.Print(o.printer, out, &unstructured.Unstructured{Object: document})
	case o.format.Name() == short:
		return o.printShort(out, r)
	}
	for _, f := range r.Findings {
		level := o.painter.Paint(colors[f.Level], fmt.Sprintf("%-7s", f.Level))
		if _, err := fmt.Fprintf(out, "%s   %-15s   %s\n", level, f.Check, messageOf(f)); err != nil {
			return err
		}
		if f.Hint != "" {
			fmt.Fprintf(out, "%28s%s\n", "", o.painter.Paint(output.Faint, output.Line(f.Hint)))
		}
	}
	fmt.Fprintln(o.env.Streams.ErrOut, r.summary())
	return nil
}

// printShort writes the findings that need an action.
func (o *options) printShort(out io.Writer, r *Report) error {
	for _, f := range r.Findings {
		if f.Level != checkup.Problem && f.Level != checkup.Note {
			continue
		}
		level := o.painter.Paint(colors[f.Level], string(f.Level))
		if _, err := fmt.Fprintf(out, "%s: %s [%s]\n", level, messageOf(f), f.Check); err != nil {
			return err
		}
	}
	return nil
}

func messageOf(f checkup.Finding) string {
	return output.Line(strings.TrimPrefix(f.Object+": "+f.Message, ": "))
}

func (r *Report) summary() string {
	parts := []string{"no problem"}
	if r.Problems > 0 {
		parts[0] = printable.Count(r.Problems, "problem")
	}
	if r.Notes > 0 {
		parts = append(parts, printable.Count(r.Notes, "note"))
	}
	if r.Unknown > 0 {
		parts = append(parts, fmt.Sprintf("%d unknown", r.Unknown))
	}
	text := strings.Join(parts, ", ")
	if r.Namespace != "" {
		text += "; of the handlers, those of namespace " + r.Namespace + " were checked: --all-namespaces checks all"
	}
	return text
}

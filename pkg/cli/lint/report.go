package lint

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/admit/offline"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/manifest"
	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/printable"
	"gati.dev/gati/pkg/status"
)

// Report is the output of -o json, of the kind LintReport, cli.gati.dev/v1.
type Report struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Objects counts the checked objects.
	Objects  int       `json:"objects"`
	Errors   int       `json:"errors"`
	Warnings int       `json:"warnings"`
	Findings []Finding `json:"findings"`
}

// Finding is one finding and where it is.
type Finding struct {
	// Source is the file; Line is the line of the field, or of its nearest parent.
	Source string `json:"source,omitempty"`
	Line   int    `json:"line,omitempty"`
	// Object is the object at fault, as far as it has a name.
	Object string `json:"object,omitempty"`

	offline.Finding `json:",inline"`
}

func newReport(objects int) *Report {
	return &Report{APIVersion: status.APIVersion, Kind: "LintReport", Objects: objects, Findings: []Finding{}}
}

// addFindings adds the findings of a document.
func (r *Report) addFindings(doc *admit.Document, found []offline.Finding) {
	lines := manifest.LinesOf(doc)
	for _, d := range lines.Duplicates() {
		twice := offline.Finding{Code: offline.CodeDuplicate, Severity: offline.Warning, Field: d.Field, Message: "is written before; kubectl takes this value, and the one before is lost: remove one"}
		r.add(Finding{doc.Source, d.Line, manifest.Title(doc), twice})
	}
	for _, f := range found {
		r.add(Finding{doc.Source, lines.LineOf(f.Field), manifest.Title(doc), f})
	}
}

// addUnread adds that a file could not be read to its end.
func (r *Report) addUnread(err error) {
	r.add(Finding{Finding: offline.Finding{Code: offline.CodeSyntax, Severity: offline.Error, Message: err.Error()}})
}

func (r *Report) add(f Finding) {
	r.Findings = append(r.Findings, f)
	if f.Severity == offline.Error {
		r.Errors++
	} else {
		r.Warnings++
	}
}

func (r *Report) isFailed(strict bool) bool {
	return r.Errors > 0 || strict && len(r.Findings) > 0
}

// printReport writes the report: findings to the standard output, as they are the data,
// and how many there are beside it.
func (o *options) printReport(r *Report) error {
	switch {
	case o.format.Name() == "name":
		return exit.Usagef("findings have no names; the formats are json, yaml and their templates")
	case o.printer != nil:
		document, err := runtime.DefaultUnstructuredConverter.ToUnstructured(r)
		if err != nil {
			return fmt.Errorf("print: %w", err)
		}
		return output.Print(o.printer, o.env.Streams.Out, &unstructured.Unstructured{Object: document})
	}
	for _, f := range r.Findings {
		if _, err := fmt.Fprintln(o.env.Streams.Out, o.formatFinding(f)); err != nil {
			return err
		}
	}
	fmt.Fprintln(o.env.Streams.ErrOut, r.summary())
	return nil
}

// formatFinding writes a finding as compilers do, so that editors find the place.
func (o *options) formatFinding(f Finding) string {
	color := output.Bad
	if f.Severity == offline.Warning {
		color = output.Busy
	}
	var parts []string
	for _, part := range []string{f.Object, f.Field, f.Message} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	place := ""
	if f.Source != "" {
		place = fmt.Sprintf("%s:%d: ", f.Source, f.Line)
	}
	return fmt.Sprintf("%s%s: %s [%s]", place, o.painter.Paint(color, string(f.Severity)), output.Line(strings.Join(parts, ": ")), f.Code)
}

func (r *Report) summary() string {
	return fmt.Sprintf("%s: %s, %s", printable.Count(r.Objects, "object"), printable.Count(r.Errors, "error"), printable.Count(r.Warnings, "warning"))
}

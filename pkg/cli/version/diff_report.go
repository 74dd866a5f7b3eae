package version

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"gati.dev/gati/pkg/printable"
	"gati.dev/gati/pkg/schema"
)

// The formats of a diff for other programs than a terminal.
const (
	formatMarkdown = "markdown"
	formatGitHub   = "github"
	formatSARIF    = "sarif"
)

// document is a schema of a file that is compared. Its path is empty where it is no file that
// stands there now: standard input, a git revision, or a version of the cluster.
type document struct {
	path string
	raw  []byte
}

// placeOf returns the file and the line of a finding. A finding about a document that is no
// file belongs to the new one, without a line.
func (d *differ) placeOf(f schema.Finding) (path string, line int) {
	old, new := d.documents[0], d.documents[1]
	switch {
	case f.In == "old" && old.path != "":
		return old.path, locateLine(old.raw, f.Pointer)
	case f.In == "new" && new.path != "":
		return new.path, locateLine(new.raw, f.Pointer)
	}
	return new.path, 0
}

// describeVerdict says what a diff comes to.
func describeVerdict(diff *Diff) string {
	switch {
	case diff.Mode == schema.None:
		return "not compared"
	case diff.Breaking && diff.Handler != "" && diff.Uncovered == "":
		return "breaks its callers; transformers cover them"
	case diff.Breaking:
		return "breaks its callers"
	}
	return "keeps its callers"
}

// renderMarkdown writes a diff as the comment of a pull request.
func (d *differ) renderMarkdown(diff *Diff) ([]byte, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "**%s → %s, %s: %s.**\n", escapeMarkdown(diff.Old), escapeMarkdown(diff.New), diff.Mode, describeVerdict(diff))
	for _, upgrade := range diff.Upgrades {
		fmt.Fprintf(&out, "\n%s\n", escapeMarkdown(upgrade))
	}
	for i, f := range slices.Concat(diff.Findings, diff.Notes) {
		if i == 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(&out, "- **%s**, %s %s, `%s`: %s\n", describeWeight(f), f.Direction, codeSpan(cmp.Or(f.Path, "the body")), f.Rule, escapeMarkdown(f.Message))
		if len(f.Witness) > 0 {
			fmt.Fprintf(&out, "  For example %s\n", codeSpan(shortenWitness(f.Witness)))
		}
		if f.Remedy != "" {
			fmt.Fprintf(&out, "  %s\n", escapeMarkdown(f.Remedy))
		}
	}
	if diff.Uncovered != "" {
		fmt.Fprintf(&out, "\nTransformers: %s\n", escapeMarkdown(diff.Uncovered))
	}
	return out.Bytes(), nil
}

func describeWeight(f schema.Finding) string {
	if f.Undecided {
		return string(f.Severity) + ", undecided"
	}
	return string(f.Severity)
}

// markdown escapes what Markdown or GitHub would read as more than text.
var markdown = strings.NewReplacer(
	"\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "#", "\\#", "|", "\\|", "~", "\\~",
	"<", "&lt;", ">", "&gt;", "&", "&amp;", "@", "&#64;", "\n", " ", "\r", " ",
)

func escapeMarkdown(text string) string { return markdown.Replace(text) }

// codeSpan quotes text by more backticks than it has in a row.
func codeSpan(text string) string {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if fence == "`" {
		return fence + text + fence
	}
	return fence + " " + text + " " + fence
}

// renderGitHub writes a diff as annotations of a GitHub workflow, a line each.
func (d *differ) renderGitHub(diff *Diff) ([]byte, error) {
	var out bytes.Buffer
	for _, f := range slices.Concat(diff.Findings, diff.Notes) {
		path, line := d.placeOf(f)
		properties := "title=" + escapeProperty(f.Rule)
		if path != "" {
			properties = "file=" + escapeProperty(filepath.ToSlash(path)) + "," + properties
		}
		if line > 0 {
			properties += fmt.Sprintf(",line=%d", line)
		}
		fmt.Fprintf(&out, "::%s %s::%s\n", levels[f.Severity].github, properties, workflow.Replace(describeFinding(f)))
	}
	return out.Bytes(), nil
}

// levels are the words of others for a severity.
var levels = map[schema.Severity]struct{ github, sarif string }{
	schema.Breaking: {"error", "error"}, schema.Warning: {"warning", "warning"}, schema.Info: {"notice", "note"},
}

// workflow escapes the message of a workflow command, escapeProperty one of its properties.
var workflow = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")

func escapeProperty(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(workflow.Replace(text))
}

// describeFinding returns a finding as sentences without its rule.
func describeFinding(f schema.Finding) string {
	text := fmt.Sprintf("%s %s: %s", f.Direction, cmp.Or(f.Path, "the body"), f.Message)
	if len(f.Witness) > 0 {
		text += "; for example " + shortenWitness(f.Witness)
	}
	if f.Remedy != "" {
		text += "\n" + f.Remedy
	}
	return text
}

// renderSARIF writes a diff as a log of SARIF 2.1.0, for code scanning.
func (d *differ) renderSARIF(diff *Diff) ([]byte, error) {
	run := sarifRun{Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "kubectl-gati", Rules: []sarifRule{}}
	for _, f := range slices.Concat(diff.Findings, diff.Notes) {
		if rule := (sarifRule{f.Rule}); !slices.Contains(run.Tool.Driver.Rules, rule) {
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
		}
		result := sarifResult{RuleID: f.Rule, Level: levels[f.Severity].sarif, Message: sarifMessage{describeFinding(f)}}
		if path, line := d.placeOf(f); path != "" {
			result.Locations = []sarifLocation{{sarifPlace{Artifact: sarifArtifact{(&url.URL{Path: filepath.ToSlash(path)}).String()}}}}
			if line > 0 {
				result.Locations[0].Place.Region = &sarifRegion{line}
			}
		}
		run.Results = append(run.Results, result)
	}
	return json.MarshalIndent(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}, "", "  ")
}

type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID string `json:"id"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Place sarifPlace `json:"physicalLocation"`
	}
	sarifPlace struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
)

// writeReport writes a diff in the format asked for, as a page by default.
func (d *differ) writeReport(diff *Diff) error {
	shown := printable.Copy(*diff) // schemas may name properties as they like
	render := map[string]func(*Diff) ([]byte, error){
		"": renderPage, formatMarkdown: d.renderMarkdown, formatGitHub: d.renderGitHub, formatSARIF: d.renderSARIF,
	}[d.format.Name()]
	text, err := render(&shown)
	if err != nil {
		return err
	}
	_, err = d.env.Streams.Out.Write(append(bytes.TrimRight(text, "\n"), '\n'))
	return err
}

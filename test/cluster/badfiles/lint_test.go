package badfiles

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"gati.dev/gati/pkg/cli"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/lint"
)

// TestLint holds that "kubectl gati lint" refuses every file, and says without a
// cluster all that kubectl prints: at the same field, in the same words.
func TestLint(t *testing.T) {
	t.Setenv("KUBECONFIG", os.DevNull)
	sentences := 0
	for _, f := range loadFiles(t) {
		said := readAnswers(t, "testdata/"+f.name+".golden")
		for _, d := range f.documents {
			found := runLint(t, f, d)
			for _, want := range wantedSentences(said[d.version]) {
				sentences++
				if gateways.MatchString(want.text) {
					continue // a rule of the Gateway API, which has no other form than CEL; the object is refused
				}
				if !slices.ContainsFunc(found, want.saidBy) {
					t.Errorf("%s, %s: apply says\n  %s: %s\nand lint\n  %+v", f.name, d.version, want.field, want.text, found)
				}
			}
		}
	}
	t.Logf("%d sentences", sentences)
}

// runLint runs the command on a document.
func runLint(t *testing.T, f file, d document) []lint.Finding {
	t.Helper()
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	args := []string{"lint", "-f", write("file.yaml", d.text), "-o", "json", "-n", f.namespaceOr(home)}
	if f.namespaceOr(home) != bare {
		args = append(args, "--image", strings.TrimPrefix(image, "gati.dev/image="))
	}
	if f.setup != "" {
		args = append(args, "--before", write("before.yaml", f.setup))
	}
	var out, errs bytes.Buffer
	code := cli.Run(t.Context(), cli.Process{Args: args, Streams: genericiooptions.IOStreams{Out: &out, ErrOut: &errs}, Now: time.Now})
	if nothing := strings.HasPrefix(errs.String(), "error: no GatiHandler"); nothing {
		return []lint.Finding{} // kubectl says the same in other words
	}
	if code != exit.Unhealthy {
		t.Errorf("%s, %s: exit code %d, %s", f.name, d.version, code, errs.String())
	}
	var report lint.Report
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatalf("%s: %v in %q", f.name, err, out.String())
	}
	for _, finding := range report.Findings {
		if strings.Contains(finding.Message, "Go struct field") || strings.Contains(finding.Message, "regular expression") {
			t.Errorf("%s, %s: not a sentence for people: %q", f.name, d.version, finding.Message)
		}
	}
	return report.Findings
}

// sentence is one thing that kubectl has printed as wrong.
type sentence fault

var (
	unknownField = regexp.MustCompile(`unknown field "([^"]*)"`)
	converted    = regexp.MustCompile(`conversion webhook for \S+ Kind=\w+ failed: object 0: \w+ (?:\S+/)?\S+: (\S+: .*)`)
	noMatch      = regexp.MustCompile(`no matches for kind "\w+" in version "[^"]+"`)
	shownValue   = regexp.MustCompile(`^(Invalid value|Duplicate value): ("(?:[^"\\]|\\.)*"|\{[^}]*\}|\[[^\]]*\]|-?[0-9.]+|null|true|false)(: |$)`)
)

// wantedSentences are the sentences of an answer that lint has to find. What kubectl adds
// about itself is none.
func wantedSentences(answer string) []sentence {
	var out []sentence
	for _, said := range findFaults(answer) {
		if said.field != "<nil>" && !strings.HasPrefix(said.field, ".spec") {
			out = append(out, sentence(said))
		}
	}
	for _, m := range unknownField.FindAllStringSubmatch(answer, -1) {
		if len(out) == 0 || strings.Contains(answer, "strict decoding error") {
			out = append(out, sentence{field: m[1], text: m[0]})
		}
	}
	if m := converted.FindStringSubmatch(answer); m != nil {
		out = append(out[:0], sentence{text: m[1]})
	}
	if m := noMatch.FindString(answer); m != "" {
		out = append(out, sentence{field: "kind", text: m})
	}
	return out
}

// saidBy reports whether a finding says the same. A rule in CEL shows no value, or that of
// the whole object, where gati-webhook shows the part that is at fault.
func (s sentence) saidBy(f lint.Finding) bool {
	where := f.Field == s.field || s.field == "metadata" && f.Field == "metadata.name"
	return where && withoutValue(shortenText(f.Message)) == withoutValue(s.text) || s.field == "" && shortenText(f.Field+": "+f.Message) == s.text
}

func withoutValue(text string) string {
	if m := shownValue.FindStringSubmatch(text); m != nil {
		return m[1] + m[3] + text[len(m[0]):]
	}
	return text
}

package version

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/schema"
)

// renderPage writes a diff as text.
func renderPage(diff *Diff) ([]byte, error) {
	var out bytes.Buffer
	of := ""
	if diff.Handler != "" {
		of = " of gh/" + diff.Handler
	}
	fmt.Fprintf(&out, "%s → %s%s, %s: %s.\n", diff.Old, diff.New, of, diff.Mode, describeVerdict(diff))
	for _, upgrade := range diff.Upgrades {
		fmt.Fprintf(&out, "%s\n", upgrade)
	}
	for _, f := range diff.Findings {
		WriteFinding(&out, f)
	}
	for _, f := range diff.Notes {
		WriteFinding(&out, f)
	}
	if diff.Uncovered != "" {
		fmt.Fprintf(&out, "\ntransformers: %s\n", diff.Uncovered)
	}
	return out.Bytes(), nil
}

// WriteFinding writes a finding as text, the place first.
func WriteFinding(w io.Writer, f schema.Finding) {
	fmt.Fprintf(w, "\n%s %s %s (%s)\n  %s\n", f.Direction, cmp.Or(f.Path, "the body"), f.Rule, describeWeight(f), f.Message)
	if len(f.Witness) > 0 {
		fmt.Fprintf(w, "  for example %s\n", shortenWitness(f.Witness))
	}
	if f.Pointer != "" {
		fmt.Fprintf(w, "  at %s of the %s schema\n", f.Pointer, f.In)
	}
	if f.Remedy != "" {
		fmt.Fprintf(w, "  %s\n", f.Remedy)
	}
}

// maxWitness bounds the shown part of a counterexample; -o json has all of it.
const maxWitness = 400

func shortenWitness(raw json.RawMessage) string {
	text := []rune(strings.ToValidUTF8(string(raw), "�"))
	if len(text) > maxWitness {
		return string(text[:maxWitness]) + "…"
	}
	return string(text)
}

// overlayManifests replaces the cluster's handler and records by those of the manifests.
func (d *differ) overlayManifests(src *compat.Source) error {
	for _, name := range d.files {
		documents, err := d.decodeManifest(name)
		if err != nil {
			return err
		}
		for _, doc := range documents {
			switch o := doc.Object.(type) {
			case *v1.GatiHandler:
				if o.Name == src.Handler.Name {
					h := src.Handler.DeepCopy()
					h.Spec = o.Spec
					src.Handler = h
				}
			case *v1.GatiVersion:
				if string(o.Spec.Handler) == src.Handler.Name && o.Spec.Version != "" {
					src.Records[string(o.Spec.Version)] = o
				}
			}
		}
	}
	return nil
}

func (d *differ) decodeManifest(name string) ([]admit.Document, error) {
	if name == "-" {
		return admit.Decode(d.env.Streams.In, "standard input")
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return admit.Decode(file, name)
}

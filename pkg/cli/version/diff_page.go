package version

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/printable"
	"gati.dev/gati/pkg/schema"
)

// writePage writes a diff as text.
func (d *differ) writePage(diff *Diff) error {
	shown := printable.Copy(*diff) // schemas may name properties as they like
	diff = &shown
	var out bytes.Buffer
	verdict := "keeps its callers"
	switch {
	case diff.Mode == schema.None:
		verdict = "not compared"
	case diff.Breaking && diff.Handler != "" && diff.Uncovered == "":
		verdict = "breaks its callers; transformers cover them"
	case diff.Breaking:
		verdict = "breaks its callers"
	}
	of := ""
	if diff.Handler != "" {
		of = " of gh/" + diff.Handler
	}
	fmt.Fprintf(&out, "%s → %s%s, %s: %s.\n", diff.Old, diff.New, of, diff.Mode, verdict)
	for _, upgrade := range diff.Upgrades {
		fmt.Fprintf(&out, "%s\n", upgrade)
	}
	for _, f := range diff.Findings {
		writeFinding(&out, f)
	}
	for _, f := range diff.Notes {
		writeFinding(&out, f)
	}
	if diff.Uncovered != "" {
		fmt.Fprintf(&out, "\ntransformers: %s\n", diff.Uncovered)
	}
	_, err := d.env.Streams.Out.Write(out.Bytes())
	return err
}

func writeFinding(w io.Writer, f schema.Finding) {
	mark := string(f.Severity)
	if f.Undecided {
		mark += ", undecided"
	}
	place := f.Path
	if place == "" {
		place = "the body"
	}
	fmt.Fprintf(w, "\n%s %s %s (%s)\n  %s\n", f.Direction, place, f.Rule, mark, f.Message)
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

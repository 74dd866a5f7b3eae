package version

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"gati.dev/gati/pkg/cli/git"
	"gati.dev/gati/pkg/schema"
	model "gati.dev/gati/pkg/status"
)

// compareFiles compares two schemas without a cluster, as requests and as responses.
func (d *differ) compareFiles(ctx context.Context, old, new string) (*Diff, error) {
	out := &Diff{APIVersion: model.APIVersion, Kind: "VersionDiff", Old: old, New: new, Mode: cmp.Or(schema.Mode(d.mode), schema.Backward)}
	var sides [2]schema.Version
	for i, name := range []string{old, new} {
		var err error
		if d.documents[i], err = d.readDocument(ctx, name); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		s, err := schema.Parse(d.documents[i].raw)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, n := range slices.Concat(s.Upgrades(), s.Unchecked()) {
			out.Upgrades = append(out.Upgrades, name+" "+n.String())
		}
		sides[i] = schema.Version{Input: s, Output: s}
	}
	report := schema.Compatibility(sides[0], sides[1], out.Mode)
	out.Breaking, out.Findings, out.Notes = report.Breaking, report.Findings, schema.Notes(sides[0], sides[1], out.Mode)
	return out, nil
}

// readDocument reads a file, standard input, or a file of a git revision, such as
// HEAD~1:schema.json.
func (d *differ) readDocument(ctx context.Context, name string) (document, error) {
	if name == "-" {
		raw, err := io.ReadAll(io.LimitReader(d.env.Streams.In, schema.MaxBytes+1))
		return document{raw: raw}, err
	}
	file, err := os.Open(name)
	switch {
	case errors.Is(err, os.ErrNotExist) && strings.Contains(name, ":"):
		raw, err := git.Read(ctx, ".", "show", "--end-of-options", name)
		if err != nil {
			err = fmt.Errorf("there is no such file, and the revision cannot be read: %w", err)
		}
		return document{raw: raw}, err
	case err != nil:
		return document{}, err
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, schema.MaxBytes+1))
	return document{path: name, raw: raw}, err
}

package version

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"gati.dev/gati/pkg/schema"
	model "gati.dev/gati/pkg/status"
)

// compareFiles compares two schemas without a cluster, as requests and as responses.
func (d *differ) compareFiles(ctx context.Context, old, new string) (*Diff, error) {
	out := &Diff{APIVersion: model.APIVersion, Kind: "VersionDiff", Old: old, New: new, Mode: cmp.Or(schema.Mode(d.mode), schema.Backward)}
	var sides [2]schema.Version
	for i, name := range []string{old, new} {
		s, err := d.readSchemaFile(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, n := range s.Upgrades() {
			out.Upgrades = append(out.Upgrades, name+" "+n.String())
		}
		sides[i] = schema.Version{Input: s, Output: s}
	}
	report := schema.Compatibility(sides[0], sides[1], out.Mode)
	out.Breaking, out.Findings, out.Notes = report.Breaking, report.Findings, schema.Notes(sides[0], sides[1], out.Mode)
	return out, nil
}

// readSchemaFile reads a file, standard input, or a file of a git revision, such as
// HEAD~1:schema.json.
func (d *differ) readSchemaFile(ctx context.Context, name string) (*schema.Schema, error) {
	raw, err := d.readBounded(ctx, name)
	if err != nil {
		return nil, err
	}
	return schema.Parse(raw)
}

func (d *differ) readBounded(ctx context.Context, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(io.LimitReader(d.env.Streams.In, schema.MaxBytes+1))
	}
	file, err := os.Open(name)
	switch {
	case errors.Is(err, os.ErrNotExist) && strings.Contains(name, ":"):
		return readRevision(ctx, name)
	case err != nil:
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, schema.MaxBytes+1))
}

func readRevision(ctx context.Context, name string) ([]byte, error) {
	var problems strings.Builder
	cmd := exec.CommandContext(ctx, "git", "show", "--end-of-options", name)
	cmd.Stderr = &problems
	raw, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("there is no such file, and git cannot read the revision: %w: %s", err, strings.TrimSpace(problems.String()))
	}
	return raw, nil
}

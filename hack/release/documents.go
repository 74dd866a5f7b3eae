package main

import (
	"debug/buildinfo"
	"fmt"
	"slices"
	"strings"

	"gati.dev/gati/hack/release/license"
	"gati.dev/gati/hack/release/provenance"
	"gati.dev/gati/hack/release/sbom"
)

// writeSBOMs writes an SPDX document for each archive and for the image.
func (r *release) writeSBOMs() error {
	common := sbom.Release{Version: r.krew.Spec.Version, Created: r.source.time, Licenses: r.licenses}
	for _, a := range r.artifacts {
		text, err := common.Describe(a)
		if err != nil {
			return fmt.Errorf("SBOM of %s: %w", a.Name, err)
		}
		if err := r.writeFile(a.Name+".spdx.json", text); err != nil {
			return err
		}
	}
	return nil
}

// writeProvenance writes where all files so far come from, and the image by its digest.
func (r *release) writeProvenance() error {
	modules, err := r.listModules()
	if err != nil {
		return err
	}
	subjects := []provenance.Subject{{Name: r.places.image(), SHA256: strings.TrimPrefix(r.imageDigest, "sha256:")}}
	for _, f := range r.files {
		subjects = append(subjects, provenance.Subject{Name: f.name, SHA256: f.sha256})
	}
	text, err := provenance.Build{
		Version: r.krew.Spec.Version, Source: r.places.repository, Commit: r.source.commit, Builder: r.builder,
		Go: r.readToolchain(), Image: r.places.image(), Modules: modules,
	}.Statement(subjects)
	if err != nil {
		return err
	}
	return r.writeFile(provenanceFile, text)
}

// readToolchain returns the version of Go that the checkout is built with.
func (r *release) readToolchain() string {
	for _, m := range r.licenses {
		if m.Path == license.Standard {
			return m.Version
		}
	}
	return ""
}

// listModules returns what the programs link, as the linker has written it down.
func (r *release) listModules() ([]provenance.Module, error) {
	var out []provenance.Module
	for _, a := range r.artifacts {
		for _, p := range a.Programs {
			info, err := buildinfo.ReadFile(p.Path)
			if err != nil {
				return nil, err
			}
			for _, m := range info.Deps {
				if m.Replace != nil {
					m = m.Replace
				}
				out = append(out, provenance.Module{Path: m.Path, Version: m.Version, Sum: m.Sum})
			}
		}
	}
	slices.SortFunc(out, func(a, b provenance.Module) int { return strings.Compare(a.Path+a.Version, b.Path+b.Version) })
	return slices.Compact(out), nil
}

// writeChecksums writes the list that "sha256sum --check" reads and that is signed.
func (r *release) writeChecksums() error {
	var lines strings.Builder
	for _, f := range r.files {
		fmt.Fprintf(&lines, "%s  %s\n", f.sha256, f.name)
	}
	return r.writeFile(checksumFile, []byte(lines.String()))
}

package main

import (
	"fmt"
	"os"
	"path/filepath"

	"gati.dev/gati/hack/release/krew"
	"gati.dev/gati/hack/release/sbom"
)

// makeArchives makes an archive of the plugin for each platform.
func (r *release) makeArchives() error {
	for i := range r.krew.Spec.Platforms {
		if err := r.makeArchive(&r.krew.Spec.Platforms[i]); err != nil {
			return err
		}
	}
	return r.krew.Validate()
}

// makeArchive makes one archive and sets its address and checksum in krew's manifest.
func (r *release) makeArchive(p *krew.Platform) error {
	binary := filepath.Join(r.work, fmt.Sprintf("%s_%s_%s", p.Bin, p.OS(), p.Arch()))
	if err := r.compileProgram(plugin, binary, r.krew.Spec.Version, p.OS(), p.Arch(), installedImage+"="+r.pinnedImage()); err != nil {
		return err
	}
	content, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	own, err := os.ReadFile(r.checkoutPath("LICENSE"))
	if err != nil {
		return err
	}
	packed, err := writeTarGz([]file{{p.Bin, 0o755, content}, {"LICENSE", 0o644, own}, {noticesFile, 0o644, r.notices}})
	if err != nil {
		return err
	}
	name := fmt.Sprintf("kubectl-gati_%s_%s.tar.gz", p.OS(), p.Arch())
	p.URI, p.SHA256 = r.fileURL(name), hexSHA256(packed)
	r.artifacts = append(r.artifacts, sbom.Artifact{
		Name: name, Path: filepath.Join(r.outputFolder(), name), URL: p.URI, Purpose: "ARCHIVE",
		Programs: []sbom.Program{{Name: p.Bin, Path: binary}},
	})
	return r.writeFile(name, packed)
}

// fileURL returns where a file of the release is served.
func (r *release) fileURL(name string) string {
	return r.places.files + "/" + r.krew.Spec.Version + "/" + name
}

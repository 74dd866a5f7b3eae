package main

import (
	"fmt"
	"os"
	"path/filepath"

	"gati.dev/gati/hack/release/krew"
	"gati.dev/gati/hack/release/license"
	"gati.dev/gati/hack/release/sbom"
)

// The files that every release has.
const (
	checksumFile   = "checksums.txt"
	krewFile       = "krew.yaml"
	noticesFile    = "THIRD-PARTY-LICENSES.txt"
	installFile    = "install.yaml"
	imageFile      = "gati-webhook.oci.tar"
	chartFile      = "gati-chart.oci.tar"
	provenanceFile = "provenance.intoto.json"
)

// release is one that is being made.
type release struct {
	options
	krew     *krew.Manifest
	licenses license.Inventory
	notices  []byte
	// work is for programs, which are no files of the release.
	work      string
	artifacts []sbom.Artifact
	// imageDigest is that of the image's index, empty where no image is made.
	imageDigest string
	// files are those written so far.
	files []written
}

// written is a file of the release.
type written struct{ name, sha256 string }

// buildRelease makes all files of a release.
func (o *options) buildRelease() error {
	m, err := o.readManifest()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "gati-release")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	if err := os.MkdirAll(o.outputFolder(), 0o755); err != nil {
		return err
	}
	r := &release{options: *o, krew: m, work: work}
	for _, step := range r.releaseSteps() {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// releaseSteps are in the order in which one needs the other.
func (r *release) releaseSteps() []func() error {
	if r.plugin {
		return []func() error{r.collectLicenses, r.makeArchives, r.writeKrew, r.writeChecksums}
	}
	return []func() error{
		r.collectLicenses, r.makeImage, r.makeArchives, r.writeKrew, r.writeInstall, r.writeChart, r.writeSBOMs, r.writeProvenance, r.writeChecksums,
	}
}

// collectLicenses reads the licences of all that is linked, before anything is built.
func (r *release) collectLicenses() error {
	var platforms []license.Platform
	for i := range r.krew.Spec.Platforms {
		p := &r.krew.Spec.Platforms[i]
		platforms = append(platforms, license.Platform{OS: p.OS(), Arch: p.Arch()})
	}
	found, err := license.Collect(r.root, append(platforms, r.serverPlatforms()...), plugin.folder, webhook.folder)
	if err != nil {
		return err
	}
	r.licenses, r.notices = found, found.Notices()
	return r.writeFile(noticesFile, r.notices)
}

func (r *release) writeKrew() error {
	text, err := r.krew.Encode()
	if err != nil {
		return err
	}
	return r.writeFile(krewFile, text)
}

// writeFile writes a file of the release and prints its checksum.
func (r *release) writeFile(name string, content []byte) error {
	if err := os.WriteFile(filepath.Join(r.outputFolder(), name), content, 0o644); err != nil {
		return err
	}
	sum := hexSHA256(content)
	r.files = append(r.files, written{name, sum})
	fmt.Printf("%s  %s\n", sum, name)
	return nil
}

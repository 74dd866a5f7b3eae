// Package sbom writes SPDX 2.3 documents that name every Go module of the programs in an
// artifact. It must not know how an artifact is built: it reads what the Go linker has
// written into each program.
package sbom

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spdx/tools-golang/spdx"

	"gati.dev/gati/hack/release/license"
)

// Artifact is a file of a release.
type Artifact struct {
	// Name is that of the file, Path where it is, URL where users get it.
	Name, Path, URL string
	// Purpose is SPDX's word for what it is: ARCHIVE or CONTAINER.
	Purpose string
	// Reference is a package URL, empty where the artifact has none.
	Reference string
	// Programs are the paths of the programs in it, by their names there.
	Programs []Program
}

// Program is a program in an artifact.
type Program struct{ Name, Path string }

// Release is what all artifacts have in common.
type Release struct {
	Version string
	// Created is the time of the source, so that equal sources give equal documents.
	Created  time.Time
	Licenses license.Inventory
}

// ownLicense is that of this repository.
const ownLicense = "MIT"

// Describe returns the SPDX document of an artifact.
func (r Release) Describe(a Artifact) ([]byte, error) {
	sum, err := hashFile(a.Path)
	if err != nil {
		return nil, err
	}
	d := newDocument(a.Name, "https://gati.dev/spdx/"+r.Version+"/"+a.Name+"/"+sum, r.Created)
	d.CreationInfo.Creators = []spdx.Creator{{CreatorType: "Organization", Creator: "Gati"}, {CreatorType: "Tool", Creator: "gati-release-" + r.Version}}
	whole := r.ownPackage("artifact", a.Name, sum)
	whole.PackageFileName, whole.PackageDownloadLocation, whole.PrimaryPackagePurpose = a.Name, a.URL, a.Purpose
	if a.Reference != "" {
		whole.PackageExternalReferences = packageURL(a.Reference)
	}
	d.addPackage(whole)
	d.addRelationship(d.SPDXIdentifier, spdx.RelationshipDescribes, whole)
	for _, p := range a.Programs {
		if err := r.addProgram(d, whole, p); err != nil {
			return nil, err
		}
	}
	return d.encode()
}

// addProgram adds a program, and what it links as the linker has written it down.
func (r Release) addProgram(d *document, whole *spdx.Package, p Program) error {
	info, err := buildinfo.ReadFile(p.Path)
	if err != nil {
		return err
	}
	sum, err := hashFile(p.Path)
	if err != nil {
		return err
	}
	program := r.ownPackage("program-"+p.Name, p.Name, sum)
	program.PrimaryPackagePurpose = "APPLICATION"
	d.addPackage(program)
	d.addRelationship(whole.PackageSPDXIdentifier, spdx.RelationshipContains, program)

	main := r.ownPackage("module-"+info.Main.Path, info.Main.Path, "")
	main.PrimaryPackagePurpose, main.PackageExternalReferences = "SOURCE", packageURL("pkg:golang/"+info.Main.Path+"@"+r.Version)
	d.addPackage(main)
	d.addRelationship(program.PackageSPDXIdentifier, spdx.RelationshipDependsOn, main)

	links := append([]*debug.Module{{Path: license.Standard, Version: info.GoVersion}}, info.Deps...)
	for _, module := range links {
		linked, err := r.modulePackage(module)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		d.addPackage(linked)
		d.addRelationship(program.PackageSPDXIdentifier, spdx.RelationshipDependsOn, linked)
	}
	return nil
}

// ownPackage returns a package of this repository.
func (r Release) ownPackage(id, name, sum string) *spdx.Package {
	p := newPackage(id, name, r.Version, ownLicense)
	if sum != "" {
		p.PackageChecksums = []spdx.Checksum{{Algorithm: spdx.SHA256, Value: sum}}
	}
	return p
}

func (r Release) modulePackage(m *debug.Module) (*spdx.Package, error) {
	if m.Replace != nil {
		m = m.Replace
	}
	found, ok := r.Licenses.Find(m.Path, m.Version)
	if !ok {
		return nil, fmt.Errorf("links %s %s, whose licences were not looked for", m.Path, m.Version)
	}
	p := newPackage("module-"+m.Path+"-"+m.Version, m.Path, m.Version, found.Expression())
	p.PrimaryPackagePurpose = "LIBRARY"
	p.PackageExternalReferences = packageURL("pkg:golang/" + m.Path + "@" + strings.TrimPrefix(m.Version, "go"))
	if m.Sum != "" {
		p.PackageSourceInfo = m.Sum + " in go.sum"
	}
	return p, nil
}

func hashFile(path string) (string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]), nil
}

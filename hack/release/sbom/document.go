package sbom

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx"
	"github.com/spdx/tools-golang/spdxlib"
)

const noAssertion = "NOASSERTION"

// document is an SPDX document that is being written.
type document struct{ spdx.Document }

func newDocument(name, namespace string, created time.Time) *document {
	return &document{spdx.Document{
		SPDXVersion: spdx.Version, DataLicense: spdx.DataLicense, SPDXIdentifier: "DOCUMENT",
		DocumentName: name, DocumentNamespace: namespace,
		CreationInfo: &spdx.CreationInfo{Created: created.UTC().Format(time.RFC3339)},
	}}
}

// addPackage adds a package unless it is there: an artifact, a program or a module.
func (d *document) addPackage(p *spdx.Package) {
	for _, other := range d.Packages {
		if other.PackageSPDXIdentifier == p.PackageSPDXIdentifier {
			return
		}
	}
	d.Packages = append(d.Packages, p)
}

// addRelationship adds a relationship.
func (d *document) addRelationship(from spdx.ElementID, kind string, to *spdx.Package) {
	d.Relationships = append(d.Relationships, &spdx.Relationship{
		RefA: spdx.DocElementID{ElementRefID: from}, Relationship: kind, RefB: spdx.DocElementID{ElementRefID: to.PackageSPDXIdentifier},
	})
}

func (d *document) encode() ([]byte, error) {
	if err := spdxlib.ValidateDocument(&d.Document); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err := json.Write(&d.Document, &out, json.Indent("  "), json.EscapeHTML(false))
	return out.Bytes(), err
}

func newPackage(id, name, version, license string) *spdx.Package {
	return &spdx.Package{
		PackageSPDXIdentifier: spdxID(id), PackageName: name, PackageVersion: version, PackageDownloadLocation: noAssertion,
		PackageLicenseConcluded: license, PackageLicenseDeclared: license, PackageCopyrightText: noAssertion,
	}
}

func packageURL(locator string) []*spdx.PackageExternalReference {
	return []*spdx.PackageExternalReference{{
		Category: spdx.CategoryPackageManager, RefType: spdx.PackageManagerPURL, Locator: strings.ReplaceAll(locator, "+", "%2B"),
	}}
}

var notInIdentifiers = regexp.MustCompile(`[^a-zA-Z0-9.-]`)

// spdxID returns a name as an SPDX identifier. Characters that are not allowed become
// their numbers, so that different names stay different.
func spdxID(name string) spdx.ElementID {
	return spdx.ElementID(notInIdentifiers.ReplaceAllStringFunc(name, func(s string) string {
		return fmt.Sprintf(".%x.", s)
	}))
}

// Package provenance writes where the files of a release come from, as an in-toto
// statement with SLSA's provenance. Equal sources give equal statements: it has no times.
package provenance

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// buildType names the page that describes the build and its parameters.
const buildType = "https://gati.dev/docs/release.md#how-a-release-is-made"

// Build is what a release was made from.
type Build struct {
	Version string
	// Source is the address of the repository, Commit that of the checkout.
	Source, Commit string
	// Builder identifies who ran the build.
	Builder string
	// Go is the version of the toolchain.
	Go string
	// Image is the name of the image without tag and digest.
	Image string
	// Modules are those that the programs link.
	Modules []Module
}

// Module is a Go module with its hash in go.sum.
type Module struct{ Path, Version, Sum string }

// Subject is a file, or an image, with its SHA-256 in hexadecimal digits.
type Subject struct{ Name, SHA256 string }

type statement struct {
	Type          string     `json:"_type"`
	Subject       []resource `json:"subject"`
	PredicateType string     `json:"predicateType"`
	Predicate     predicate  `json:"predicate"`
}

type resource struct {
	Name   string            `json:"name,omitempty"`
	URI    string            `json:"uri,omitempty"`
	Digest map[string]string `json:"digest,omitempty"`
}

type predicate struct {
	BuildDefinition definition `json:"buildDefinition"`
	RunDetails      runDetails `json:"runDetails"`
}

type definition struct {
	BuildType            string            `json:"buildType"`
	ExternalParameters   map[string]string `json:"externalParameters"`
	ResolvedDependencies []resource        `json:"resolvedDependencies"`
}

type runDetails struct {
	Builder builder `json:"builder"`
}

type builder struct {
	ID string `json:"id"`
}

// Statement returns the provenance of subjects.
func (b Build) Statement(subjects []Subject) ([]byte, error) {
	resolved := []resource{
		{URI: "git+" + b.Source, Digest: map[string]string{"gitCommit": b.Commit}},
		{URI: "pkg:golang/std@" + strings.TrimPrefix(b.Go, "go"), Name: "go"},
	}
	for _, m := range b.Modules {
		hash, err := directoryHash(m)
		if err != nil {
			return nil, err
		}
		resolved = append(resolved, resource{URI: "pkg:golang/" + m.Path + "@" + m.Version, Digest: map[string]string{"dirHash": hash}})
	}
	s := statement{
		Type: "https://in-toto.io/Statement/v1", PredicateType: "https://slsa.dev/provenance/v1",
		Predicate: predicate{
			definition{buildType, map[string]string{"source": b.Source, "version": b.Version, "image": b.Image}, resolved},
			runDetails{builder{b.Builder}},
		},
	}
	slices.SortFunc(subjects, func(a, b Subject) int { return strings.Compare(a.Name, b.Name) })
	for _, subject := range subjects {
		s.Subject = append(s.Subject, resource{Name: subject.Name, Digest: map[string]string{"sha256": subject.SHA256}})
	}
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}

// directoryHash returns the hash of go.sum in in-toto's form.
func directoryHash(m Module) (string, error) {
	encoded, ok := strings.CutPrefix(m.Sum, "h1:")
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil {
		return "", fmt.Errorf("%s %s has no hash in go.sum: %q; a module that is replaced by a folder cannot be released", m.Path, m.Version, m.Sum)
	}
	return hex.EncodeToString(raw), nil
}

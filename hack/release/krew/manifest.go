// Package krew has the manifest of kubectl-gati for krew: its fields, and the rules of krew
// and its index for them.
package krew

import (
	"fmt"
	"slices"

	"sigs.k8s.io/yaml"
)

// Manifest is krew's Plugin with all of its fields but files: without that field
// all of the archive is installed.
type Manifest struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Version          string     `json:"version"`
		Homepage         string     `json:"homepage,omitempty"`
		ShortDescription string     `json:"shortDescription"`
		Description      string     `json:"description,omitempty"`
		Caveats          string     `json:"caveats,omitempty"`
		Platforms        []Platform `json:"platforms"`
	} `json:"spec"`
}

// Platform is one archive.
type Platform struct {
	Selector struct {
		MatchLabels map[string]string `json:"matchLabels"`
	} `json:"selector"`
	URI    string `json:"uri"`
	SHA256 string `json:"sha256"`
	Bin    string `json:"bin"`
}

// OS returns Go's name of the system.
func (p *Platform) OS() string { return p.Selector.MatchLabels["os"] }

// Arch returns Go's name of the architecture.
func (p *Platform) Arch() string { return p.Selector.MatchLabels["arch"] }

// Decode decodes a manifest. krew ignores unknown fields; here they are
// errors, because they are misspelt ones.
func Decode(text []byte) (*Manifest, error) {
	m := &Manifest{}
	if err := yaml.UnmarshalStrict(text, m); err != nil {
		return nil, fmt.Errorf("krew.yaml: %w", err)
	}
	return m, m.Validate()
}

// KeepPlatform drops all other platforms.
func (m *Manifest) KeepPlatform(goos, goarch string) {
	m.Spec.Platforms = slices.DeleteFunc(m.Spec.Platforms, func(p Platform) bool {
		return p.OS() != goos || p.Arch() != goarch
	})
}

// Encode returns the manifest as a file.
func (m *Manifest) Encode() ([]byte, error) { return yaml.Marshal(m) }

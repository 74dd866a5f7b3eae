package main

import (
	"fmt"
	"os"
	"slices"

	"sigs.k8s.io/yaml"
)

// manifest is krew's Plugin with all of its fields but files: without that field
// all of the archive is installed.
type manifest struct {
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
		Platforms        []platform `json:"platforms"`
	} `json:"spec"`
}

// platform is one archive.
type platform struct {
	Selector struct {
		MatchLabels map[string]string `json:"matchLabels"`
	} `json:"selector"`
	URI    string `json:"uri"`
	SHA256 string `json:"sha256"`
	Bin    string `json:"bin"`
}

func (p *platform) os() string   { return p.Selector.MatchLabels["os"] }
func (p *platform) arch() string { return p.Selector.MatchLabels["arch"] }

// decodeManifest decodes a manifest. krew ignores unknown fields; here they are
// errors, because they are misspelt ones.
func decodeManifest(text []byte) (*manifest, error) {
	m := &manifest{}
	if err := yaml.UnmarshalStrict(text, m); err != nil {
		return nil, fmt.Errorf("krew.yaml: %w", err)
	}
	return m, m.validate()
}

// keepPlatform drops all other platforms.
func (m *manifest) keepPlatform(goos, goarch string) {
	m.Spec.Platforms = slices.DeleteFunc(m.Spec.Platforms, func(p platform) bool {
		return p.os() != goos || p.arch() != goarch
	})
}

func (m *manifest) write(path string) error {
	text, err := yaml.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

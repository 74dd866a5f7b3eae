package krew

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	versions  = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`)
	checksums = regexp.MustCompile(`^[a-f0-9]{64}$`)
)

// knownPlatforms are the platforms that krew's index accepts.
var knownPlatforms = []string{
	"linux/386", "linux/amd64", "linux/arm", "linux/arm64", "linux/ppc64le",
	"darwin/386", "darwin/amd64", "darwin/arm64",
	"windows/386", "windows/amd64", "windows/arm64",
}

// Validate checks the rules of krew and of its index.
func (m *Manifest) Validate() error {
	var faults []error
	fault := func(wrong bool, format string, args ...any) {
		if wrong {
			faults = append(faults, fmt.Errorf("krew.yaml: "+format, args...))
		}
	}
	fault(m.APIVersion != "krew.googlecontainertools.github.com/v1alpha2", "apiVersion %q is not krew's", m.APIVersion)
	fault(m.Kind != "Plugin", "kind must be Plugin, not %q", m.Kind)
	fault(m.Metadata.Name != "gati", "the plugin is gati, not %q", m.Metadata.Name)
	fault(!versions.MatchString(m.Spec.Version), "version %q is not semantic with a leading v", m.Spec.Version)
	short := m.Spec.ShortDescription
	fault(short == "" || len(short) > 59 || strings.Contains(short, "\n"), "shortDescription must be one line of at most 59 characters")
	fault(m.Spec.Description == "", "description is missing")
	fault(len(m.Spec.Platforms) == 0, "there is no platform")
	var seen []string
	for i := range m.Spec.Platforms {
		p := &m.Spec.Platforms[i]
		pair := p.OS() + "/" + p.Arch()
		fault(!slices.Contains(knownPlatforms, pair) || len(p.Selector.MatchLabels) != 2, "platform %s is not one of %s", pair, strings.Join(knownPlatforms, ", "))
		fault(slices.Contains(seen, pair), "platform %s is named twice", pair)
		fault(!checksums.MatchString(p.SHA256), "%s: sha256 %q is not 64 hexadecimal digits; is it quoted?", pair, p.SHA256)
		fault(!strings.HasSuffix(p.URI, ".tar.gz") && !strings.HasSuffix(p.URI, ".zip"), "%s: %s is neither .tar.gz nor .zip", pair, p.URI)
		fault(p.Bin == "" || strings.HasSuffix(p.Bin, ".exe") != (p.OS() == "windows"), "%s: bin %q; on Windows, and only there, it ends in .exe", pair, p.Bin)
		seen = append(seen, pair)
	}
	return errors.Join(faults...)
}

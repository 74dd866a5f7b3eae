package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"gati.dev/gati/hack/release/krew"
	"gati.dev/gati/hack/release/license"
)

// options say what to release.
type options struct {
	version, root, out, builder string
	places                      places
	host, plugin                bool
	source                      source
}

// places are where users find a release. Every file of it that has an address takes it from
// here.
type places struct {
	// repository is the source, for the provenance.
	repository string
	// files is where a file is served, as FILES/VERSION/FILE.
	files string
	// registry is the host, maybe with a path, of image and chart.
	registry string
	// site is the page of the project.
	site string
}

func (p places) image() string { return p.registry + "/gati-webhook" }
func (p places) chart() string { return p.registry + "/charts/gati" }

// String lists the places of a release as users need them.
func (p places) String() string {
	return fmt.Sprintf("files   %s/VERSION/\nimage   %s\nchart   oci://%s\nsource  %s\nsite    %s", p.files, p.image(), p.chart(), p.repository, p.site)
}

// checkoutPath returns a path of the checkout.
func (o *options) checkoutPath(name string) string { return filepath.Join(o.root, name) }

// outputFolder returns the directory to write to.
func (o *options) outputFolder() string {
	if filepath.IsAbs(o.out) {
		return o.out
	}
	return filepath.Join(o.root, o.out)
}

// readManifest returns krew's manifest with the version and the platforms to build.
func (o *options) readManifest() (*krew.Manifest, error) {
	text, err := os.ReadFile(o.checkoutPath("krew.yaml"))
	if err != nil {
		return nil, err
	}
	m, err := krew.Decode(text)
	if err != nil {
		return nil, err
	}
	m.Spec.Homepage = o.places.site
	if o.version != "" {
		m.Spec.Version = o.version
	}
	if o.host {
		m.KeepPlatform(runtime.GOOS, runtime.GOARCH)
	}
	return m, m.Validate()
}

// serverPlatforms are the platforms of gati-webhook.
func (o *options) serverPlatforms() []license.Platform {
	if o.host {
		return []license.Platform{{OS: "linux", Arch: runtime.GOARCH}}
	}
	return []license.Platform{{OS: "linux", Arch: "amd64"}, {OS: "linux", Arch: "arm64"}}
}

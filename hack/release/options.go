package main

import (
	"os"
	"path/filepath"
	"runtime"

	"gati.dev/gati/hack/release/krew"
	"gati.dev/gati/hack/release/license"
)

// options say what to release.
type options struct {
	version, root, out, base   string
	image, repository, builder string
	host, plugin               bool
	source                     source
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

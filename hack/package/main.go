// Command package builds the archives of kubectl-gati for krew: one for each
// platform in krew.yaml, with the LICENSE inside, and beside them the manifest and
// a list of checksums. Equal sources give equal bytes in any folder; -twice checks
// it.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

func main() {
	var o options
	flag.StringVar(&o.version, "version", "", "version to build, such as v0.1.0; that of krew.yaml when empty")
	flag.StringVar(&o.out, "out", "dist", "directory to write to")
	flag.StringVar(&o.base, "base-url", "https://gati.dev/releases", "where releases are served; an archive is at BASE/VERSION/ARCHIVE")
	flag.BoolVar(&o.host, "host", false, "build for this machine's platform only")
	twice := flag.Bool("twice", false, "build all of it once more from a copy of the checkout, and fail if a byte differs")
	flag.Parse()
	run := o.buildAll
	if *twice {
		run = o.checkReproducible
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "package:", err)
		os.Exit(1)
	}
}

type options struct {
	version, out, base string
	host               bool
	// root is the checkout; empty is the working directory.
	root string
}

// checksumFile is the file that "sha256sum --check" reads.
const checksumFile = "checksums.txt"

// buildAll builds everything that the manifest at the root of the checkout names.
func (o *options) buildAll() error {
	text, err := os.ReadFile(filepath.Join(o.root, "krew.yaml"))
	if err != nil {
		return err
	}
	m, err := decodeManifest(text)
	if err != nil {
		return err
	}
	if o.version != "" {
		m.Spec.Version = o.version
	}
	if o.host {
		m.keepPlatform(runtime.GOOS, runtime.GOARCH)
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	var sums strings.Builder
	for i := range m.Spec.Platforms {
		line, err := o.buildPlatform(m, &m.Spec.Platforms[i])
		if err != nil {
			return err
		}
		fmt.Print(line)
		sums.WriteString(line)
	}
	if err := m.validate(); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(o.out, checksumFile), []byte(sums.String()), 0o644); err != nil {
		return err
	}
	return m.write(filepath.Join(o.out, "krew.yaml"))
}

// buildPlatform builds one archive, sets its address and checksum in the manifest,
// and returns its line in the list of checksums.
func (o *options) buildPlatform(m *manifest, p *platform) (string, error) {
	work, err := os.MkdirTemp("", "gati-package")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(work) }()
	binary := filepath.Join(work, p.Bin)
	if err := o.compile(binary, m.Spec.Version, p.os(), p.arch()); err != nil {
		return "", err
	}
	name := fmt.Sprintf("kubectl-gati_%s_%s.tar.gz", p.os(), p.arch())
	license := filepath.Join(o.root, "LICENSE")
	sum, err := writeArchive(filepath.Join(o.out, name), []file{{p.Bin, binary, 0o755}, {"LICENSE", license, 0o644}})
	if err != nil {
		return "", err
	}
	p.URI, p.SHA256 = o.base+"/"+m.Spec.Version+"/"+name, sum
	return fmt.Sprintf("%s  %s\n", sum, name), nil
}

// compile compiles the plugin without traces of this machine.
func (o *options) compile(binary, version, goos, goarch string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -X gati.dev/gati/pkg/cli/version.release="+version, "-o", binary, "./cmd/kubectl-gati")
	cmd.Dir = o.root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch, "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build for %s/%s: %w", goos, goarch, err)
	}
	return nil
}

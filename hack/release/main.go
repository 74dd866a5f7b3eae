// Command release makes the files of a release: the plugin's archives for every platform
// of krew.yaml with the manifest for krew, the image of gati-webhook, install.yaml, which
// names the image by digest, the chart, an SPDX document for each program, the licences of
// all linked modules, the provenance, and the list of checksums, which is signed.
// Equal sources give equal bytes in any folder; -twice checks it.
//
// It is a Go module of its own, so that what reads licences is no part of the product.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	var o options
	flag.StringVar(&o.version, "version", "", "version to build, such as v0.1.0; that of krew.yaml when empty")
	flag.StringVar(&o.root, "root", "../..", "the checkout")
	flag.StringVar(&o.out, "out", "dist", "directory to write to, seen from the checkout")
	flag.StringVar(&o.places.files, "files", "https://gati.dev/releases", "where files are served: FILES/VERSION/FILE")
	flag.StringVar(&o.places.registry, "registry", "gati.dev", "host, maybe with a path, of the image gati-webhook and the chart charts/gati")
	flag.StringVar(&o.places.site, "site", "https://gati.dev", "page of the project, for krew")
	flag.StringVar(&o.places.repository, "source", "https://gati.dev/gati", "address of the repository, for the provenance")
	flag.StringVar(&o.builder, "builder", "https://gati.dev/docs/release.md#a-release-by-hand", "who builds, as a URI for the provenance")
	flag.BoolVar(&o.host, "host", false, "build for this machine's platform only")
	flag.BoolVar(&o.plugin, "plugin", false, "build the plugin's archives and krew.yaml only")
	twice := flag.Bool("twice", false, "build all of it once more from a copy of the checkout, and fail if a byte differs")
	flag.Parse()
	if err := run(o, *twice); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(o options, twice bool) error {
	if !o.plugin {
		var err error
		if o.source, err = readSource(o.root); err != nil {
			return err
		}
	}
	make := o.buildRelease
	if twice {
		make = o.checkReproducible
	}
	if err := make(); err != nil {
		return err
	}
	fmt.Println(o.places)
	return nil
}

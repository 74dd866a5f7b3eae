// Command render writes an overlay of manifests/ as one YAML file.
//
//	go run ./hack/render -o manifests/install.yaml
//	go run ./hack/render -overlay local -url https://127.0.0.1:9443 | kubectl apply -f -
//
// It reads the manifests embedded in it, which "go run" takes from the
// checkout, or those of -dir.
package main

import (
	"flag"
	"fmt"
	"os"

	"gati.dev/gati/internal/render"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "render:", err)
		os.Exit(1)
	}
}

func run() error {
	var o render.Options
	flag.StringVar(&o.Overlay, "overlay", render.OverlayDefault, "the overlay: default, cert-manager or local")
	flag.StringVar(&o.URL, "url", "", "where the API server reaches gati-webhook, with -overlay local")
	flag.StringVar(&o.Image, "image", "", "the image of gati-webhook")
	dir := flag.String("dir", "", "read the manifests from this folder")
	out := flag.String("o", "", "write to this file, not to standard output")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if *dir != "" {
		o.FS = os.DirFS(*dir)
	}
	rendered, err := render.YAML(o)
	if err != nil {
		return err
	}
	if *out == "" {
		_, err = os.Stdout.Write(rendered)
		return err
	}
	return os.WriteFile(*out, rendered, 0o644)
}

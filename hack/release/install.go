package main

import (
	"fmt"
	"os"
	"regexp"

	"gati.dev/gati/internal/render"
)

// images matches the image of a container.
var images = regexp.MustCompile(`(?m)^\s*(?:- )?image: (\S+)$`)

// writeInstall writes install.yaml with the image by its digest.
func (r *release) writeInstall() error {
	text, err := render.YAML(render.Options{Image: r.pinnedImage(), FS: os.DirFS(r.checkoutPath("manifests"))})
	if err != nil {
		return err
	}
	for _, match := range images.FindAllSubmatch(text, -1) {
		if string(match[1]) != r.pinnedImage() {
			return fmt.Errorf("%s has the image %s, want only %s; internal/render has to set it in every workload", installFile, match[1], r.pinnedImage())
		}
	}
	return r.writeFile(installFile, text)
}

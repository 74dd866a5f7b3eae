package local

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
)

// SampleNamespace has an image for the samples that name none.
const SampleNamespace = "gati-demo"

// ApplySamples applies each sample of a folder and waits until all of them are
// ready. The output of kubectl is written to w.
func (c *Cluster) ApplySamples(ctx context.Context, folder string, w io.Writer) error {
	if _, err := c.Run(ctx, namespaceManifest(SampleNamespace), "apply", "-f", "-"); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("no samples in %s", folder)
	}
	for _, file := range files {
		out, err := c.Run(ctx, "", "apply", "-n", namespaceFor(file), "-f", file)
		if err != nil {
			return err
		}
		fmt.Fprint(w, out)
	}
	for _, ns := range []string{"default", SampleNamespace} {
		out, err := c.Run(ctx, "", "wait", "-n", ns, "--for=condition=Ready", "--timeout=3m", "gatihandlers,gatimodules", "--all")
		if err != nil {
			return err
		}
		fmt.Fprint(w, out)
	}
	return nil
}

// namespaceFor returns the namespace of a sample: SampleNamespace if it needs an
// image.
func namespaceFor(file string) string {
	if filepath.Base(file) == "000-blog-users-api.yaml" {
		return SampleNamespace
	}
	return "default"
}

func namespaceManifest(name string) string {
	return "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: " + name + "\n  annotations:\n    gati.dev/image: blog:v2.0.0\n"
}

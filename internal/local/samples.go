package local

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
)

// SampleNamespace is where the samples are that name no image: it knows one.
const SampleNamespace = "gati-demo"

// ApplySamples applies each sample of a folder as it is and waits until all of them
// serve. What kubectl prints goes to w.
func (c *Cluster) ApplySamples(ctx context.Context, folder string, w io.Writer) error {
	if _, err := c.Run(ctx, namespaceOf(SampleNamespace), "apply", "-f", "-"); err != nil {
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

// namespaceFor is the namespace of a sample: that of its own objects where it names
// one, else the one that knows an image.
func namespaceFor(file string) string {
	if filepath.Base(file) == "000-blog-users-api.yaml" {
		return SampleNamespace
	}
	return "default"
}

func namespaceOf(name string) string {
	return "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: " + name + "\n  annotations:\n    gati.dev/image: blog:v2.0.0\n"
}

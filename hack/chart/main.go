// Command chart writes the templates of charts/gati that come from manifests/.
//
//	go run ./hack/chart -o charts/gati/templates
//
// Each object is that of an overlay, with an expression wherever values.yaml has a field.
// What people write of the chart, such as values.yaml and NOTES.txt, it leaves alone.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"gati.dev/gati/internal/render"
)

// monitoring is the condition of the objects in manifests/monitoring.
const monitoring = ".Values.monitoring.enabled"

// generatedMark begins every file that this command writes.
const generatedMark = "{{- /* Generated from manifests/ by hack/chart. Edit the manifests, not this. */ -}}\n"

func main() {
	manifests := flag.String("manifests", "manifests", "read the manifests from this folder")
	out := flag.String("o", "charts/gati/templates", "write to this folder")
	flag.Parse()
	if err := run(*manifests, *out); err != nil {
		fmt.Fprintln(os.Stderr, "chart:", err)
		os.Exit(1)
	}
}

func run(manifests, out string) error {
	documents, err := readDocuments(manifests)
	if err != nil {
		return err
	}
	files := map[string][]byte{}
	for _, d := range documents {
		text, err := d.renderTemplate()
		if err != nil {
			return fmt.Errorf("%s: %w", d.name(), err)
		}
		if files[d.fileName()] == nil {
			files[d.fileName()] = []byte(generatedMark)
		}
		files[d.fileName()] = append(files[d.fileName()], text...)
	}
	if err := removeGenerated(out); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(out, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// readDocuments returns the documents of the chart in a stable order.
func readDocuments(manifests string) ([]document, error) {
	tree := os.DirFS(manifests)
	self, err := render.Objects(render.Options{FS: tree})
	if err != nil {
		return nil, err
	}
	managed, err := render.Objects(render.Options{FS: tree, Overlay: render.OverlayCertManager})
	if err != nil {
		return nil, err
	}
	documents := mergeVariants(self, managed)
	for _, further := range []struct{ folder, condition string }{
		{"monitoring", monitoring}, {"rbac/helm", ".Values.targets.helm"}, {"rbac/gitops", ".Values.targets.gitops"},
	} {
		objects, err := render.Folder(tree, further.folder)
		if err != nil {
			return nil, err
		}
		for _, object := range objects {
			documents = append(documents, document{object: object, condition: further.condition})
		}
	}
	return documents, nil
}

// removeGenerated removes what an earlier run wrote: an object may be gone.
func removeGenerated(dir string) error {
	paths, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if bytes.HasPrefix(content, []byte(generatedMark)) {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}

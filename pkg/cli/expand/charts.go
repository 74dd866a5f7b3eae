package expand

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/helmchart"
)

// writeCharts writes the chart of each owner into a folder of its own, and prints these
// folders. Owners of several namespaces may have one name: then the charts of each namespace
// have a folder.
func (o *options) writeCharts(plan []client.Object) error {
	isElsewhere := func(obj client.Object) bool { return obj.GetNamespace() != plan[0].GetNamespace() }
	hasNamespaces := slices.ContainsFunc(plan, isElsewhere)
	for _, children := range helmchart.ByOwner(plan) {
		chart, err := helmchart.New(children)
		if err != nil {
			return fmt.Errorf("write a chart: %w", err)
		}
		dir := filepath.Join(o.format.Name(), chart.Name)
		if hasNamespaces {
			dir = filepath.Join(o.format.Name(), children[0].GetNamespace(), chart.Name)
		}
		if err := replaceChart(dir, chart.Files); err != nil {
			return fmt.Errorf("write chart %s: %w", dir, err)
		}
		if _, err := fmt.Fprintln(o.env.Streams.Out, dir); err != nil {
			return err
		}
	}
	return nil
}

// replaceChart writes the files of a chart in place of those of an earlier one. What Gati
// did not write is left alone.
func replaceChart(dir string, files []helmchart.File) error {
	about, err := os.ReadFile(filepath.Join(dir, "Chart.yaml"))
	switch {
	case err == nil && strings.Contains(string(about), helmchart.Signature):
		err = os.RemoveAll(filepath.Join(dir, "templates"))
	case errors.Is(err, fs.ErrNotExist):
		err = requireEmpty(dir)
	case err == nil:
		err = errors.New("the chart there was not written by Gati; choose another directory")
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// requireEmpty refuses a folder that has files.
func requireEmpty(dir string) error {
	found, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(found) > 0 {
		return errors.New("the directory has other files; choose another one")
	}
	return nil
}

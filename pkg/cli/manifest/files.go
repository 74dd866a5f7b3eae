package manifest

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/resource"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"gati.dev/gati/pkg/cli/exit"
)

const (
	// stdin is the name of the standard input, as a flag and in messages.
	stdin = "-"
	// answerTimeout is how long a server of a URL may take.
	answerTimeout = time.Minute
)

// Files are the flags -f, -R and -k.
type Files struct {
	names     []string
	recursive bool
	kustomize string
}

// Of are files by their names, directories with everything below them.
func Of(names ...string) *Files { return &Files{names: names, recursive: true} }

// AddTo adds the flags to a command.
func (f *Files) AddTo(cmd *cobra.Command) {
	cmd.Flags().StringSliceVarP(&f.names, "filename", "f", nil, "A file, a directory, a URL, or - for standard input; can be repeated.")
	cmd.Flags().BoolVarP(&f.recursive, "recursive", "R", false, "Read directories recursively.")
	cmd.Flags().StringVarP(&f.kustomize, "kustomize", "k", "", "A directory with a kustomization, which is built first.")
}

// Any reports whether a file was named.
func (f *Files) Any() bool { return len(f.names) > 0 || f.kustomize != "" }

// ReadsStdin reports whether the standard input is one of the files.
func (f *Files) ReadsStdin() bool { return slices.Contains(f.names, stdin) }

// Check refuses a command without files, and one that kubectl would refuse for them.
func (f *Files) Check() error {
	switch {
	case !f.Any():
		return exit.Usagef("specify a file, a directory or - with -f, or a kustomization with -k")
	case f.kustomize != "" && (len(f.names) > 0 || f.recursive):
		return exit.Usagef("-k cannot be combined with -f or -R")
	}
	return nil
}

// String names the files.
func (f *Files) String() string { return cmp.Or(f.kustomize, strings.Join(f.names, ", ")) }

// Each opens the files, in the order of the flags and by name within a directory,
// and hands each to read. It ends with the first error that read returns.
func (f *Files) Each(in io.Reader, read func(source string, r io.Reader) error) error {
	if f.kustomize != "" {
		return readKustomization(f.kustomize, read)
	}
	inputs, err := f.listInputs()
	if err != nil {
		return err
	}
	for _, name := range inputs {
		if err := readFile(name, in, read); err != nil {
			return err
		}
	}
	return nil
}

func readFile(name string, in io.Reader, read func(string, io.Reader) error) error {
	switch {
	case name == stdin:
		return read("standard input", in)
	case isURL(name):
		return readURL(name, read)
	}
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	return read(name, file)
}

// readKustomization builds a kustomization as "kubectl kustomize" does.
func readKustomization(dir string, read func(string, io.Reader) error) error {
	options := krusty.MakeDefaultOptions()
	options.Reorder = krusty.ReorderOptionLegacy
	built, err := krusty.MakeKustomizer(options).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		return err
	}
	text, err := built.AsYaml()
	if err != nil {
		return err
	}
	return read(dir, bytes.NewReader(text))
}

func isURL(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")
}

func readURL(address string, read func(string, io.Reader) error) error {
	c := http.Client{Timeout: answerTimeout}
	answer, err := c.Get(address)
	if err != nil {
		return fmt.Errorf("read %s: %w", address, err)
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("unable to read URL %q, server reported %s", address, answer.Status)
	}
	return read(address, answer.Body)
}

// listInputs returns the files to read.
func (f *Files) listInputs() ([]string, error) {
	var out []string
	for _, name := range f.names {
		if name == stdin || isURL(name) {
			out = append(out, name)
			continue
		}
		matches, err := expandPattern(name)
		if err != nil {
			return nil, err
		}
		for _, match := range matches {
			found, err := f.listManifests(match)
			if err != nil {
				return nil, err
			}
			out = append(out, found...)
		}
		if len(out) == 0 {
			return nil, fmt.Errorf("no %s file found in %s", strings.Join(resource.FileExtensions, ", "), name)
		}
	}
	return out, nil
}

// expandPattern returns the paths that a pattern of a shell means, or the one that it is.
func expandPattern(name string) ([]string, error) {
	if _, err := os.Stat(name); !os.IsNotExist(err) {
		return []string{name}, err
	}
	matches, err := filepath.Glob(name)
	if err != nil {
		return nil, fmt.Errorf("the pattern %q is invalid: %w", name, err)
	}
	if len(matches) == 0 {
		return nil, fmt.Errorf("the path %q does not exist", name)
	}
	return matches, nil
}

// listManifests returns a file as it is, and of a directory the manifests in it.
func (f *Files) listManifests(root string) ([]string, error) {
	visitors, err := resource.ExpandPathsToFileVisitors(nil, root, f.recursive, resource.FileExtensions, nil)
	if err != nil {
		return nil, err
	}
	out := make([]string, len(visitors))
	for i, v := range visitors {
		out[i] = v.(*resource.FileVisitor).Path
	}
	return out, nil
}

package manifest

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/cli/exit"
)

// stdin is the name of the standard input, as a flag and in messages.
const stdin = "-"

// extensions are those of manifests, as kubectl takes them from a directory.
var extensions = []string{".json", ".yaml", ".yml"}

// Files are the flags -f and -R.
type Files struct {
	names     []string
	recursive bool
}

// Of are files by their names, directories with everything below them.
func Of(names ...string) *Files { return &Files{names: names, recursive: true} }

// AddTo adds the flags to a command.
func (f *Files) AddTo(cmd *cobra.Command) {
	cmd.Flags().StringSliceVarP(&f.names, "filename", "f", nil, "A file, a directory, or - for standard input; can be repeated.")
	cmd.Flags().BoolVarP(&f.recursive, "recursive", "R", false, "Read directories recursively.")
}

// Any reports whether a file was named.
func (f *Files) Any() bool { return len(f.names) > 0 }

// Check refuses a command without files.
func (f *Files) Check() error {
	if !f.Any() {
		return exit.Usagef("specify a file, a directory or - with -f")
	}
	return nil
}

// String names what is read.
func (f *Files) String() string { return strings.Join(f.names, ", ") }

// Each opens the files, in the order of the flags and by name within a directory,
// and hands each to read. It ends with the first error that read returns.
func (f *Files) Each(in io.Reader, read func(source string, r io.Reader) error) error {
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
	if name == stdin {
		return read("standard input", in)
	}
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	return read(name, file)
}

// listInputs returns the files to read.
func (f *Files) listInputs() ([]string, error) {
	var out []string
	for _, name := range f.names {
		if strings.Contains(name, "://") {
			return nil, exit.Usagef("%s is a URL; download it first and specify the file, or - for standard input", name)
		}
		if name == stdin {
			out = append(out, name)
			continue
		}
		found, err := f.listManifests(name)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("no %s file found in %s", strings.Join(extensions, ", "), name)
		}
		out = append(out, found...)
	}
	return out, nil
}

// listManifests returns a file as it is, and of a directory the manifests in it.
func (f *Files) listManifests(root string) (out []string, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == root && !entry.IsDir():
			out = append(out, path)
		case entry.IsDir() && path != root && !f.recursive:
			return filepath.SkipDir
		case !entry.IsDir() && slices.Contains(extensions, filepath.Ext(path)):
			out = append(out, path)
		}
		return nil
	})
	return out, err
}

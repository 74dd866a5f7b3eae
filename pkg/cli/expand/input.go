package expand

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gati.dev/gati/pkg/cli/exit"
)

// stdin is the name of the standard input, as a flag and in messages.
const stdin = "-"

// extensions are those of manifests, as kubectl takes them from a directory.
var extensions = []string{".json", ".yaml", ".yml"}

// inputs returns the files to read, in the order of the flags and by name
// within a directory.
func (o *options) inputs() ([]string, error) {
	var out []string
	for _, name := range o.files {
		if strings.Contains(name, "://") {
			return nil, exit.Usagef("%s is a URL; fetch it first and give the file, or - for the standard input", name)
		}
		if name == stdin {
			out = append(out, name)
			continue
		}
		found, err := o.walk(name)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("there is no %s file in %s", strings.Join(extensions, ", "), name)
		}
		out = append(out, found...)
	}
	return out, nil
}

// walk returns a file as it is, and of a directory the manifests in it.
func (o *options) walk(root string) (out []string, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == root && !entry.IsDir():
			out = append(out, path)
		case entry.IsDir() && path != root && !o.recursive:
			return filepath.SkipDir
		case !entry.IsDir() && slices.Contains(extensions, filepath.Ext(path)):
			out = append(out, path)
		}
		return nil
	})
	return out, err
}

// read decodes one input.
func (o *options) read(name string) ([]document, error) {
	if name == stdin {
		return o.pipeline.decode(o.env.Streams.In, "standard input")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return o.pipeline.decode(f, name)
}

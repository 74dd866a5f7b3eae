package assets

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"gati.dev/gati/devcluster"
)

// work is the directory that an entry is made in.
type work struct {
	root string
	// log is where the build's output goes. It stays when the build fails.
	log string
}

// newWork makes the directory, after removing the leftovers of a killed builder of
// the same entry. The lock is held, so they are not in use.
func (b Builder) newWork(e entry) (work, error) {
	w := work{
		root: filepath.Join(b.Cache, "tmp", e.id()),
		log:  filepath.Join(b.Cache, "logs", e.id()+".log"),
	}
	if err := os.RemoveAll(w.root); err != nil {
		return w, fmt.Errorf("clear the work directory of %s: %w", e.name, err)
	}
	for _, dir := range []string{w.dir("src"), w.dir("out"), filepath.Dir(w.log)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return w, fmt.Errorf("make the work directory of %s: %w", e.name, err)
		}
	}
	return w, nil
}

func (w work) dir(name string) string { return filepath.Join(w.root, name) }

// resultPath is the path of a result.
func (w work) resultPath(name string) string { return filepath.Join(w.dir("out"), name) }

// linkResult makes a result that leads to another entry's file. The link is
// relative, so that the cache can be moved.
func (w work) linkResult(target, name string) error {
	bin := filepath.Dir(filepath.Dir(target))
	relative, err := filepath.Rel(bin, target)
	if err != nil {
		return fmt.Errorf("link %s: %w", name, err)
	}
	if err := os.Symlink(filepath.Join("..", relative), w.resultPath(name)); err != nil {
		return fmt.Errorf("link %s: %w", name, err)
	}
	return nil
}

// sourceFiles is a module's source by path.
type sourceFiles map[string][]byte

// moduleSource returns the embedded source of one command, with the module
// files around it, and, in a fixed order, all of it as text to be digested.
func moduleSource(command string) (files sourceFiles, content []string) {
	files = sourceFiles{}
	for _, root := range []string{"cmd/" + command, "go.mod", "go.sum"} {
		err := fs.WalkDir(devcluster.Source, root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			data, err := devcluster.Source.ReadFile(path)
			files[path] = data
			content = append(content, path, string(data))
			return err
		})
		if err != nil {
			panic("devcluster: the embedded source cannot be read: " + err.Error())
		}
	}
	return files, content
}

func (s sourceFiles) writeTo(dir string) error {
	for path, data := range s {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("unpack the source: %w", err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return fmt.Errorf("unpack the source: %w", err)
		}
	}
	return nil
}

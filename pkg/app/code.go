package app

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"gati.dev/gati/pkg/lazyregexp"
)

// code is the production code of a folder: its handlers, modules and transformers, and
// the files that these import.
type code struct {
	dir   fs.FS
	files map[string]*file
	// isModule reports whether package.json makes the files ES modules.
	isModule bool
}

// file is one file of code, by its text without comments.
type file struct {
	path, text string
	references []reference
}

var (
	source = lazyregexp.New(`\.[cm]?[jt]s$`)
	unused = lazyregexp.New(`\.(d|test|spec)\.[cm]?[jt]s$`)
)

// parts are the folders whose files nothing has to import.
var parts = []string{handlers, modules, transformers}

// list returns the files of a folder of the code, without tests and types.
func (c *code) list(folder string) (found []string, err error) {
	if _, err := fs.Stat(c.dir, folder); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	err = fs.WalkDir(c.dir, folder, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && source.MatchString(name) && !unused.MatchString(name) {
			found = append(found, name)
		}
		return err
	})
	return found, err
}

func (c *code) read(name string) (*file, error) {
	if f := c.files[name]; f != nil {
		return f, nil
	}
	text, err := fs.ReadFile(c.dir, name)
	if err != nil {
		return nil, err
	}
	f := &file{path: name, text: withoutComments(string(text))}
	if source.MatchString(name) {
		f.references = findReferences(f.text)
	}
	c.files[name] = f
	return f, nil
}

// reach returns files and all that they import of the folder.
func (c *code) reach(names ...string) ([]*file, error) {
	var all []*file
	seen := map[string]bool{}
	for ; len(names) > 0; names = names[1:] {
		if seen[names[0]] {
			continue
		}
		seen[names[0]] = true
		f, err := c.read(names[0])
		if err != nil {
			return nil, err
		}
		all = append(all, f)
		for _, r := range f.references {
			if !isRelative(r.name) {
				continue
			}
			target, err := c.resolve(f, r)
			if err != nil {
				return nil, err
			}
			names = append(names, target)
		}
	}
	slices.SortFunc(all, func(a, b *file) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

func isRelative(name string) bool { return strings.HasPrefix(name, ".") }

// suffixes are what an import may leave out: TypeScript's own resolution finds them.
var suffixes = []string{"", ".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".d.ts", ".json", "/index.ts", "/index.js"}

// compiledFrom are the sources of a compiled file's name.
var compiledFrom = map[string]string{".js": ".ts", ".mjs": ".mts", ".cjs": ".cts"}

// resolve returns the file that a relative import names.
func (c *code) resolve(f *file, r reference) (string, error) {
	base := path.Join(path.Dir(f.path), r.name)
	if !fs.ValidPath(base) {
		return "", fmt.Errorf("%s:%d imports %q, which is outside of the folder; an image has the folder alone", f.path, r.line, r.name)
	}
	ext := path.Ext(base)
	if from := compiledFrom[ext]; from != "" && c.isFile(strings.TrimSuffix(base, ext)+from) {
		return strings.TrimSuffix(base, ext) + from, nil
	}
	for _, suffix := range suffixes {
		if !c.isFile(base + suffix) {
			continue
		}
		if suffix != "" && !r.erased && c.isModuleFile(f.path) {
			return "", fmt.Errorf("%s:%d imports %q; Node.js finds no file of an ES module without its suffix: write %q, or import type where it is for types alone", f.path, r.line, r.name, r.name+compiledSuffix(suffix))
		}
		return base + suffix, nil
	}
	return "", fmt.Errorf("%s:%d imports %q, and there is no such file", f.path, r.line, r.name)
}

func (c *code) isModuleFile(name string) bool {
	ext := path.Ext(name)
	return ext == ".mts" || ext == ".mjs" || c.isModule && (ext == ".ts" || ext == ".js")
}

// compiledSuffix is that of the file that the compiler makes of one: .js of .ts.
func compiledSuffix(suffix string) string {
	return strings.TrimSuffix(strings.Replace(suffix, "ts", "js", 1), ".d.js")
}

func (c *code) isFile(name string) bool {
	info, err := fs.Stat(c.dir, name)
	return err == nil && info.Mode().IsRegular()
}

package appimage

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// tree is the content of a layer by path, without the first slash.
type tree map[string]entry

type entry struct {
	directory  bool
	executable bool
	owner      int
	// source is a file of this machine; content stands where there is none.
	source  string
	content string
}

// addDir adds the content of a directory, except the files that skip selects.
func (t tree) addDir(at, dir string, skip func(path string) bool) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		if relative != "." && skip(relative) {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		info, err := d.Info()
		t[path.Join(at, relative)] = entry{source: name, executable: err == nil && info.Mode()&0o100 != 0}
		return err
	})
}

// packLayer makes a layer.
func (t tree) packLayer(media types.MediaType) (v1.Layer, error) {
	var buffer bytes.Buffer
	if err := t.writeTo(&buffer); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(buffer.Bytes())), nil }
	return tarball.LayerFromOpener(open, tarball.WithMediaType(media))
}

// packLargeLayer makes a layer that is in the cache by its content.
func (t tree) packLargeLayer(media types.MediaType) (v1.Layer, error) {
	names := t.sortedPaths()
	texts, files := []string{"layer 1"}, []string{}
	for _, name := range names {
		e := t[name]
		texts = append(texts, fmt.Sprintf("%s %v %v %d %s", name, e.directory, e.executable, e.owner, e.content))
		if e.source != "" {
			files = append(files, e.source)
		}
	}
	key, err := cacheKey(texts, files)
	if err != nil {
		return nil, err
	}
	path, err := ensureCached("layer-"+key+".tar.gz", func(path string) (err error) {
		file, err := os.Create(path)
		if err != nil {
			return err
		}
		packed := gzip.NewWriter(file)
		return errors.Join(t.writeTo(packed), packed.Close(), file.Close())
	})
	if err != nil {
		return nil, err
	}
	return tarball.LayerFromFile(path, tarball.WithMediaType(media))
}

// writeTo writes the files. Order, owners and times do not depend on the machine.
func (t tree) writeTo(out io.Writer) error {
	w := tar.NewWriter(out)
	for _, name := range t.sortedPaths() {
		if err := t[name].writeTo(w, name); err != nil {
			return err
		}
	}
	return w.Close()
}

// sortedPaths adds the missing directories and returns all paths, each directory
// before its content.
func (t tree) sortedPaths() []string {
	var names []string
	for name := range t {
		names = append(names, name)
	}
	for _, name := range names {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if _, there := t[dir]; !there {
				t[dir] = entry{directory: true}
				names = append(names, dir)
			}
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
	})
	return names
}

func (e entry) writeTo(w *tar.Writer, name string) error {
	header := &tar.Header{Name: name, Mode: 0o644, Uid: e.owner, Gid: e.owner, ModTime: time.Unix(0, 0), Format: tar.FormatPAX, Typeflag: tar.TypeReg}
	if e.executable {
		header.Mode = 0o755
	}
	if e.directory {
		header.Mode, header.Typeflag, header.Name = 0o755, tar.TypeDir, name+"/"
		return w.WriteHeader(header)
	}
	content := []byte(e.content)
	if e.source != "" {
		var err error
		if content, err = os.ReadFile(e.source); err != nil {
			return err
		}
	}
	header.Size = int64(len(content))
	if err := w.WriteHeader(header); err != nil {
		return err
	}
	_, err := w.Write(content)
	return err
}

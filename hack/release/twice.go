package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// checkReproducible builds everything twice, the second time from a copy of the
// checkout at another path, and compares the results.
func (o *options) checkReproducible() error {
	if err := o.buildRelease(); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "gati-release")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	again := *o
	again.root, again.out = filepath.Join(work, "checkout"), filepath.Join(work, "dist")
	if err := copyTree(o.root, again.root); err != nil {
		return err
	}
	if err := again.buildRelease(); err != nil {
		return err
	}
	return compareFolders(again.out, o.outputFolder())
}

// copyTree copies the files of a checkout that git does not ignore.
func copyTree(from, to string) error {
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = from
	names, err := list.Output()
	if err != nil {
		return fmt.Errorf("list the files of the checkout: %w", err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(names), "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join(from, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted, and git has not been told yet
		}
		if err != nil {
			return err
		}
		path := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// compareFolders compares the files of two folders.
func compareFolders(one, other string) error {
	entries, err := os.ReadDir(one)
	if err != nil {
		return err
	}
	for _, e := range entries {
		a, err := os.ReadFile(filepath.Join(one, e.Name()))
		if err != nil {
			return err
		}
		b, err := os.ReadFile(filepath.Join(other, e.Name()))
		if err != nil {
			return err
		}
		if !bytes.Equal(a, b) {
			return fmt.Errorf("%s is not the same when it is built a second time: %d bytes, then %d", e.Name(), len(b), len(a))
		}
	}
	return nil
}

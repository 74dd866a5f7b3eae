package assets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"gati.dev/gati/devcluster/internal/filelock"
)

// entry is one directory in the cache.
type entry struct {
	// name and key together name the directory.
	name, key string
	// names are those its files are called by, in the directory of all.
	names map[string]string
	// what is being made, and how long that takes the first time. Both are
	// empty for a step that takes no time.
	what, note string
	build      func(context.Context, work) error
}

// digestParts digests what goes into an entry. The length before each part keeps
// "ab","c" apart from "a","bc".
func digestParts(parts ...string) string {
	digest := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(digest, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(digest.Sum(nil))[:16]
}

func (e entry) id() string { return e.name + "-" + e.key }

// ensureEntry returns the entry's directory, building it when it is missing.
func (b Builder) ensureEntry(ctx context.Context, e entry) (string, error) {
	dir := filepath.Join(b.Cache, "bin", e.id())
	if pathExists(dir) {
		return dir, nil
	}
	lock, err := b.lockEntry(ctx, e)
	if err != nil {
		return "", err
	}
	defer lock.Release()
	if pathExists(dir) { // Another builder was quicker.
		return dir, nil
	}
	if err := b.buildEntry(ctx, e, dir); err != nil {
		return "", err
	}
	return dir, nil
}

// lockEntry keeps two builders from making the same entry at the same time.
func (b Builder) lockEntry(ctx context.Context, e entry) (*filelock.Lock, error) {
	locks := filepath.Join(b.Cache, "locks")
	if err := os.MkdirAll(locks, 0o755); err != nil {
		return nil, fmt.Errorf("make the cache: %w", err)
	}
	done := func() {}
	lock, err := filelock.File(ctx, filepath.Join(locks, e.id()), func() {
		done = b.Progress.Step("waiting for another devcluster that builds " + e.name)
	})
	done()
	if err != nil {
		return nil, fmt.Errorf("wait for the turn to build %s: %w", e.name, err)
	}
	return lock, nil
}

// buildEntry builds beside the place and then takes it in one step: an entry is
// whole or it is not there.
func (b Builder) buildEntry(ctx context.Context, e entry, dir string) error {
	work, err := b.newWork(e)
	if err != nil {
		return err
	}
	defer os.RemoveAll(work.root)
	if e.what != "" {
		defer b.Progress.Step(fmt.Sprintf("building %s (the first build takes about %s)", e.what, e.note))()
	}
	if err := e.build(ctx, work); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return fmt.Errorf("keep %s in the cache: %w", e.name, err)
	}
	if err := os.Rename(work.dir("out"), dir); err != nil {
		return fmt.Errorf("keep %s in the cache: %w", e.name, err)
	}
	return nil
}

func pathExists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

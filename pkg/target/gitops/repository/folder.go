package repository

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// folder is a branch of a bare repository on this machine, such as on a volume. Nothing
// is run: the image has no git.
type folder struct {
	path   string
	branch plumbing.ReferenceName
}

// folderSession is the branch as it was read.
type folderSession struct {
	*folder
	store *filesystem.Storage
	at    plumbing.Hash
}

func (f *folder) open(context.Context, Access) (session, error) {
	if _, err := os.Stat(filepath.Join(f.path, "HEAD")); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s is not a bare repository", transport.ErrRepositoryNotFound, f.path)
	} else if err != nil {
		return nil, err
	}
	s := &folderSession{folder: f, store: filesystem.NewStorage(osfs.New(f.path), cache.NewObjectLRUDefault())}
	var err error
	s.at, err = s.currentHash()
	return s, err
}

// currentHash returns where the branch is now.
func (s *folderSession) currentHash() (plumbing.Hash, error) {
	ref, err := s.store.Reference(s.branch)
	if err == nil {
		return ref.Hash(), nil
	}
	if !errors.Is(err, plumbing.ErrReferenceNotFound) {
		return plumbing.ZeroHash, fmt.Errorf("read the branch: %w", err)
	}
	others, err := s.readBranches()
	if err != nil {
		return plumbing.ZeroHash, fmt.Errorf("list branches: %w", err)
	}
	return findBranch(others, s.branch)
}

// readBranches returns the branches that have a file, or a line of packed-refs. The library
// takes the lock files of other writers for branches.
func (s *folderSession) readBranches() (map[string]plumbing.Hash, error) {
	refs := map[string]plumbing.Hash{}
	err := filepath.WalkDir(filepath.Join(s.path, "refs", "heads"), func(file string, d fs.DirEntry, err error) error {
		if name, inside := filepath.Rel(s.path, file); err == nil && inside == nil && !d.IsDir() && !strings.HasSuffix(name, ".lock") {
			refs[filepath.ToSlash(name)] = plumbing.ZeroHash
		}
		return err
	})
	packed, unpacked := os.ReadFile(filepath.Join(s.path, "packed-refs"))
	if unpacked != nil && !errors.Is(unpacked, fs.ErrNotExist) {
		return nil, unpacked
	}
	for line := range strings.Lines(string(packed)) {
		if _, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok && strings.HasPrefix(name, "refs/heads/") {
			refs[name] = plumbing.ZeroHash
		}
	}
	return refs, err
}

func (s *folderSession) head() plumbing.Hash { return s.at }

func (s *folderSession) close() { _ = s.store.Close() }

func (s *folderSession) objects(context.Context) (storer.EncodedObjectStorer, error) {
	return s.store, nil
}

// push moves the branch as git does: it creates the lock file, which fails while another
// writer has it, and renames it to the branch. The objects are in the store already.
func (s *folderSession) push(_ context.Context, to plumbing.Hash, _ []plumbing.Hash) error {
	file := filepath.Join(s.path, filepath.FromSlash(s.branch.String()))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	lock, err := os.OpenFile(file+".lock", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return errLostRace
	}
	if err != nil {
		return err
	}
	if err := s.writeLock(lock, to); err != nil {
		return errors.Join(err, os.Remove(lock.Name()))
	}
	return os.Rename(lock.Name(), file)
}

// writeLock writes a commit to the lock file, where the branch has not moved.
func (s *folderSession) writeLock(lock *os.File, to plumbing.Hash) error {
	at, err := s.currentHash()
	if err == nil && at != s.at {
		err = errLostRace
	}
	if err == nil {
		_, err = fmt.Fprintln(lock, to)
	}
	if err == nil {
		err = lock.Sync()
	}
	return errors.Join(err, lock.Close())
}

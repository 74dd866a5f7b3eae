package repository

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"

	v1 "gati.dev/gati/api/v1"
)

// Marker marks a folder as ours and has the hash of its written content. Where that is the
// wanted hash, files that differ were edited by others.
const Marker = ".gati"

// IndexFile is the file that lists the others, for kustomize.
const IndexFile = "kustomization.yaml"

// builder makes commits on top of each other. It needs the trees of the branch, never
// the content of a file.
type builder struct {
	objects storer.EncodedObjectStorer
	head    plumbing.Hash
	author  Author
	sign    signer
	now     time.Time
	// added are the objects that were made.
	added []plumbing.Hash
}

// commitChange makes a change, unless the branch holds it.
func (b *builder) commitChange(change Change) (Result, error) {
	root, err := b.rootTree()
	if err != nil {
		return Result{}, err
	}
	path := strings.Split(change.Folder, "/")
	old, err := b.findTree(root, path)
	if err != nil {
		return Result{}, err
	}
	want, err := newContent(old, change)
	if err != nil {
		return Result{}, err
	}
	if edited := want.findEdited(old); edited != nil {
		return Result{Head: b.head.String(), Edited: edited}, nil
	}
	folder, err := b.storeFiles(want)
	if err != nil {
		return Result{}, err
	}
	if (old == nil && folder.IsZero()) || (old != nil && old.Hash == folder) {
		return Result{Head: b.head.String()}, nil
	}
	if root, err = b.replaceFolder(root, path, folder); err != nil {
		return Result{}, err
	}
	if err := b.storeCommit(root, change.Message+want.describeChange(old)); err != nil {
		return Result{}, err
	}
	return Result{Commit: b.head.String(), Head: b.head.String()}, nil
}

func (b *builder) rootTree() (plumbing.Hash, error) {
	if b.head.IsZero() {
		return plumbing.ZeroHash, nil
	}
	commit, err := object.GetCommit(b.objects, b.head)
	if err != nil {
		return plumbing.ZeroHash, fmt.Errorf("read commit %s: %w", b.head, err)
	}
	return commit.TreeHash, nil
}

// readTree returns a tree; that of the zero hash is empty.
func (b *builder) readTree(hash plumbing.Hash) (*object.Tree, error) {
	if hash.IsZero() {
		return &object.Tree{}, nil
	}
	tree, err := object.GetTree(b.objects, hash)
	if err != nil {
		return nil, fmt.Errorf("read tree %s: %w", hash, err)
	}
	return tree, nil
}

// findTree returns the tree at a path, nil where there is none.
func (b *builder) findTree(root plumbing.Hash, path []string) (*object.Tree, error) {
	tree, err := b.readTree(root)
	for i, name := range path {
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(tree.Entries, func(e object.TreeEntry) bool { return e.Name == name })
		if at < 0 {
			return nil, nil
		}
		if tree.Entries[at].Mode != filemode.Dir {
			return nil, &Error{Reason: v1.ReasonFolderTaken, Err: fmt.Errorf("%s is not a folder", strings.Join(path[:i+1], "/"))}
		}
		tree, err = b.readTree(tree.Entries[at].Hash)
	}
	return tree, err
}

// replaceFolder returns a tree in which the folder at a path is another one. A folder that
// would be empty goes: Git has none.
func (b *builder) replaceFolder(root plumbing.Hash, path []string, folder plumbing.Hash) (plumbing.Hash, error) {
	if len(path) == 0 {
		return folder, nil
	}
	tree, err := b.readTree(root)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	child, entries := plumbing.ZeroHash, []object.TreeEntry(nil)
	for _, e := range tree.Entries {
		if e.Name == path[0] {
			child = e.Hash
			continue
		}
		entries = append(entries, e)
	}
	child, err = b.replaceFolder(child, path[1:], folder)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	if !child.IsZero() {
		entries = append(entries, object.TreeEntry{Name: path[0], Mode: filemode.Dir, Hash: child})
	}
	return b.storeTree(entries)
}

// storeFiles returns the tree of files; the zero hash where there are none.
func (b *builder) storeFiles(want content) (plumbing.Hash, error) {
	entries := slices.Clone(want.kept)
	for _, name := range slices.Sorted(maps.Keys(want.files)) {
		hash, err := b.storeObject(blobOf(want.files[name]))
		if err != nil {
			return plumbing.ZeroHash, err
		}
		entries = append(entries, object.TreeEntry{Name: name, Mode: filemode.Regular, Hash: hash})
	}
	return b.storeTree(entries)
}

func (b *builder) storeTree(entries []object.TreeEntry) (plumbing.Hash, error) {
	if len(entries) == 0 {
		return plumbing.ZeroHash, nil
	}
	encoded, err := encodeTree(entries)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	return b.storeObject(encoded)
}

// storeCommit makes a commit of a tree the head. A branch whose last file goes has the
// empty tree.
func (b *builder) storeCommit(tree plumbing.Hash, message string) error {
	if tree.IsZero() {
		empty, err := encodeTree(nil)
		if err == nil {
			tree, err = b.storeObject(empty)
		}
		if err != nil {
			return err
		}
	}
	who := object.Signature{Name: b.author.Name, Email: b.author.Email, When: b.now.UTC()}
	commit := &object.Commit{Author: who, Committer: who, Message: message, TreeHash: tree}
	if !b.head.IsZero() {
		commit.ParentHashes = []plumbing.Hash{b.head}
	}
	if err := b.sign.signCommit(commit); err != nil {
		return err
	}
	encoded := &plumbing.MemoryObject{}
	if err := commit.Encode(encoded); err != nil {
		return fmt.Errorf("encode a commit: %w", err)
	}
	hash, err := b.storeObject(encoded)
	if err == nil {
		b.head = hash
	}
	return err
}

func (b *builder) storeObject(o plumbing.EncodedObject) (plumbing.Hash, error) {
	if b.objects.HasEncodedObject(o.Hash()) == nil {
		return o.Hash(), nil
	}
	hash, err := b.objects.SetEncodedObject(o)
	if err != nil {
		return hash, fmt.Errorf("store an object: %w", err)
	}
	b.added = append(b.added, hash)
	return hash, nil
}

func encodeTree(entries []object.TreeEntry) (plumbing.EncodedObject, error) {
	sort.Sort(object.TreeEntrySorter(entries))
	encoded := &plumbing.MemoryObject{}
	if err := (&object.Tree{Entries: entries}).Encode(encoded); err != nil {
		return nil, fmt.Errorf("encode a tree: %w", err)
	}
	return encoded, nil
}

func blobOf(content []byte) plumbing.EncodedObject {
	o := &plumbing.MemoryObject{}
	o.SetType(plumbing.BlobObject)
	_, _ = o.Write(content) // To memory, which does not fail.
	return o
}

func hashBlob(content []byte) plumbing.Hash {
	return plumbing.ComputeHash(plumbing.BlobObject, content)
}

// errLostRace means that the branch is no longer as it was read.
var errLostRace = errors.New("another writer was faster")

package repository

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	v1 "gati.dev/gati/api/v1"
)

// content is the desired content of a folder.
type content struct {
	files map[string][]byte
	// kept are entries of the branch that stay.
	kept []object.TreeEntry
}

// newContent returns the content of a folder after a change, nil where there is none yet. A
// folder without our marker is not ours, and an error.
func newContent(old *object.Tree, change Change) (content, error) {
	want := content{files: maps.Clone(change.Files)}
	if old != nil {
		if !slices.ContainsFunc(old.Entries, func(e object.TreeEntry) bool { return e.Name == Marker }) {
			return want, &Error{Reason: v1.ReasonFolderTaken, Err: fmt.Errorf("%s has files, but no %s", change.Folder, Marker)}
		}
		for _, e := range old.Entries {
			if _, replaced := want.files[e.Name]; !replaced && slices.Contains(change.Keep, e.Name) {
				want.kept = append(want.kept, e)
			}
		}
	}
	if change.Index != nil {
		want.files[IndexFile] = change.Index(want.fileNames())
	}
	return want, nil
}

// fileNames returns the names of all files but the marker, in order.
func (c content) fileNames() []string {
	names := slices.Collect(maps.Keys(c.files))
	for _, e := range c.kept {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	return slices.DeleteFunc(names, func(name string) bool { return name == Marker })
}

// findEdited returns the files of a folder that others have edited since it was written
// for this same change.
func (c content) findEdited(old *object.Tree) []string {
	have := hashesOf(old)
	if marker, known := have[Marker]; !known || len(c.files) == 0 || marker != hashBlob(c.files[Marker]) {
		return nil
	}
	added, changed, removed := c.compareTree(old)
	edited := slices.Concat(added, changed, removed)
	slices.Sort(edited)
	return edited
}

// compareTree returns the names of the added, changed and removed files.
func (c content) compareTree(old *object.Tree) (added, changed, removed []string) {
	have := hashesOf(old)
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		hash, known := have[name]
		switch {
		case !known:
			added = append(added, name)
		case hash != hashBlob(c.files[name]):
			changed = append(changed, name)
		}
		delete(have, name)
	}
	for _, e := range c.kept {
		delete(have, e.Name)
	}
	return added, changed, slices.Sorted(maps.Keys(have))
}

// describeChange returns the part of a message that names the files of a commit.
func (c content) describeChange(old *object.Tree) string {
	added, changed, removed := c.compareTree(old)
	var text strings.Builder
	for _, part := range []struct {
		title string
		names []string
	}{{"Added", added}, {"Changed", changed}, {"Removed", removed}} {
		names := slices.DeleteFunc(part.names, func(name string) bool { return name == Marker || name == IndexFile })
		if len(names) > 0 {
			fmt.Fprintf(&text, "%s: %s\n", part.title, strings.Join(names, ", "))
		}
	}
	if text.Len() == 0 {
		return "\n"
	}
	return "\n\n" + text.String()
}

func hashesOf(tree *object.Tree) map[string]plumbing.Hash {
	have := map[string]plumbing.Hash{}
	if tree != nil {
		for _, e := range tree.Entries {
			have[e.Name] = e.Hash
		}
	}
	return have
}

// hashChange returns a hash of the files of a change and their names.
func hashChange(change Change) plumbing.Hash {
	var text bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(change.Files)) {
		fmt.Fprintf(&text, "%s %s\n", hashBlob(change.Files[name]), name)
	}
	fmt.Fprintln(&text, slices.Sorted(slices.Values(change.Keep)))
	return hashBlob(text.Bytes())
}

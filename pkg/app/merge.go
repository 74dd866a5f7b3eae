package app

import (
	"maps"
	"slices"
)

// Change is what becomes of one file. Edited files are the user's: their new text is shown
// and not written.
type Change struct {
	Path   string
	Old    string
	New    string
	Edited bool
}

// Merge compares the texts that are wanted with the present ones and with those that were
// written last. A file that is neither is edited: a deleted one stays deleted.
func Merge(wanted, present, written map[string]string) (changes []Change) {
	for _, path := range slices.Sorted(maps.Keys(wanted)) {
		old, exists := present[path]
		last, known := written[path]
		if exists && old == wanted[path] || known && last == wanted[path] {
			continue
		}
		changes = append(changes, Change{Path: path, Old: old, New: wanted[path], Edited: exists != known || old != last})
	}
	return changes
}

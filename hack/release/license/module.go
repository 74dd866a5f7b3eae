package license

import (
	"slices"
	"strings"
)

// Module is a Go module that a program links.
type Module struct {
	Path, Version string
	// Licenses are SPDX identifiers, sorted. All of them apply.
	Licenses []string
	// Files are the licences and notices, by their path in the module.
	Files []File
}

// File is a licence, or a notice that has to be passed on with it.
type File struct {
	Name string
	Text []byte
}

// Expression returns the licences as an SPDX expression.
func (m Module) Expression() string { return strings.Join(m.Licenses, " AND ") }

// Inventory has the modules that programs link, by path and version, and that of Go's
// own library as "std".
type Inventory map[string]Module

// Find returns a module.
func (i Inventory) Find(path, version string) (Module, bool) {
	m, ok := i[path+"@"+version]
	return m, ok
}

func (i Inventory) sortedModules() []Module {
	var out []Module
	for _, m := range i {
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b Module) int {
		return strings.Compare(a.Path+"@"+a.Version, b.Path+"@"+b.Version)
	})
	return out
}

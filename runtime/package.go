// Package gatikubernetes has the files of the npm package gati-kubernetes, for images that
// are built without a registry that has it.
//
// It must not know what becomes of them.
package gatikubernetes

import "embed"

// Files are those that the package is published with.
//
//go:embed package.json index.d.ts samples.d.ts LICENSE README.md src
var Files embed.FS

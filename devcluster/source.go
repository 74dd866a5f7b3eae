// Package devcluster carries the source of the control plane executable, so
// that the launcher can build it on any machine that has Go, wherever the
// launcher itself was installed.
//
// It must not know how the source is built or what runs it: that is
// internal/assets and internal/cluster.
package devcluster

import "embed"

// Source is the part of this module that cmd/kubebox is built from: the two
// module files and the command. Its content is also what a cached build is
// keyed by, so any change here makes a new executable.
//
//go:embed go.mod go.sum cmd/kubebox/*.go
var Source embed.FS

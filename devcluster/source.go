// Package devcluster carries the source of the executables that are built here,
// so that the launcher can build them on any machine that has Go, wherever the
// launcher itself was installed.
//
// It must not know how the source is built or what runs it: that is
// internal/assets and internal/cluster.
package devcluster

import "embed"

// Source is the part of this module that the executables are built from: the
// two module files and the commands. What an executable is made of is also what
// its cached build is keyed by, so any change there makes a new one.
//
//go:embed go.mod go.sum cmd/kubebox/*.go cmd/kubectl/*.go cmd/kubectl/english/*.go cmd/kubenode/*.go cmd/pause/*.go cmd/podtargets/*.go
var Source embed.FS

// Package manifests holds what installs Gati on a cluster: the CRDs, RBAC, the
// admission policies and hooks, the flow control and gati-webhook itself as
// kustomize bases, the overlays that put them together, and samples.
//
// They are embedded so that tools and tests install the shipped files without a checkout.
// The package must not know how they are rendered (package render): it costs its importers
// nothing but the bytes.
package manifests

import "embed"

// FS is this folder as it is on disk, without its Go code and without
// install.yaml, which is generated from it.
//
//go:embed controller crd flowcontrol overlays policy rbac samples webhook
var FS embed.FS

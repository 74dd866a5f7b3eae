// Package naming derives names: the version in an image's tag, the slug of a
// version in names and labels, and the names of children.
//
// Names are part of running clusters: the result for an input must never change. The
// package handles text only.
package naming

// Package naming derives names: the version in an image's tag, the slug that
// stands for a version in names and labels, and the names of children.
//
// A name, once given, is part of a running cluster: what this package returns
// for an input must never change. The package must not know of anything but
// text.
package naming

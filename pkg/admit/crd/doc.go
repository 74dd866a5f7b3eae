// Package crd checks objects by the schemas of the CRDs that this release ships, with the
// API server's own libraries and messages: types, lengths, ranges, enumerations, patterns,
// required and unique entries.
//
// kubectl gati checks a document as it is written, to predict the errors of an apply. The
// pipeline of package admit checks the spec of a v1 object, which may have passed another
// schema: that of v1alpha1, or that of an earlier release.
//
// It does not run CEL rules: pkg/validation repeats each of them with the same message.
// The package must not know of clients.
package crd

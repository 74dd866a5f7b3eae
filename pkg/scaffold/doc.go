// Package scaffold writes the file of a transformer: the functions between two versions
// of a handler, typed from their schemas, with each finding as a comment at its place.
//
// It is pure: schemas and findings come in as data. It must not know where they are read
// (pkg/cli), nor how two schemas are compared (pkg/schema).
package scaffold

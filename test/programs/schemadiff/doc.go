// Package schemadiff compares pkg/schema with oasdiff, which compares OpenAPI documents
// keyword by keyword, on generated pairs in both directions; and with oasdiff and
// jsoncompat on what TypeScript libraries emit for evolutions of types (emitters).
//
// It is a separate Go module: oasdiff requires forty modules that no other package
// needs.
package schemadiff

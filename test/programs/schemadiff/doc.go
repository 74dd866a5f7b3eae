// Package schemadiff holds pkg/schema against oasdiff, which compares OpenAPI
// documents keyword by keyword, on generated pairs in both directions.
//
// It is a Go module of its own: oasdiff brings forty modules that nothing else of
// ours needs.
package schemadiff

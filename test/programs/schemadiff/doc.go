// Package schemadiff compares pkg/schema with oasdiff, which compares OpenAPI documents
// keyword by keyword, on generated pairs in both directions.
//
// It is a separate Go module: oasdiff requires forty modules that no other package
// needs.
package schemadiff

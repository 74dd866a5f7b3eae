// Package cases holds the hand-written pairs of schemas that say what breaks
// whom. docs/schema-compatibility.md is generated from them, and pkg/schema is
// tested with them.
//
// It is for tests and tools alone.
package cases

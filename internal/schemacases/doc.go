// Package cases has the hand-written pairs of schemas that show which changes break
// which callers. docs/schema-compatibility.md is generated from them, and
// pkg/schema is tested with them.
//
// It is for tests and tools alone.
package cases

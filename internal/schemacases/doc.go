// Package cases has the hand-written pairs of schemas that show which changes break
// which callers. docs/schema-compatibility.md is generated from them, and they test
// pkg/schema.
//
// It is for tests and tools only.
package cases

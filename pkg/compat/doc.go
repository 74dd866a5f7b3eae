// Package compat decides what the schemas and transformers of a handler's versions mean
// for its traffic. It finds whether a version breaks callers of older versions and
// whether transformers cover the break. The version is then refused, reached by header
// only, or rolled out like any other.
//
// FamilyOf gathers the versions of a handler, Judge compares them, and table.go maps
// the verdict to a treatment. Admission calls it before an object is stored and the
// controller before it acts, so the two always agree.
//
// It is pure: objects come in as data. It must not know of clients, of pods or of
// how weights move (pkg/rollout), nor how two schemas are compared (pkg/schema).
package compat

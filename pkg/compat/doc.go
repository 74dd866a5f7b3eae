// Package compat decides what the schemas and transformers of a handler's versions
// mean for its traffic: whether a version breaks the callers of those before it,
// whether transformers cover that, and so whether it is refused, reached by its
// header alone, or rolled out like any other.
//
// FamilyOf gathers the versions of a handler, Judge compares them, and table.go is
// what follows. Admission asks it before an object is stored and the controller
// before it acts, so both say the same.
//
// It is pure: objects come in as data. It must not know of clients, of pods or of
// how weights move (pkg/rollout), nor how two schemas are compared (pkg/schema).
package compat

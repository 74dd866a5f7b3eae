// Package guard stands in front of the hooks: it bounds concurrent work, applies
// the caller's deadline and records metrics.
//
// An overloaded replica answers at once, in the form in which each caller retries
// best (see busy.go). Each hook has its own budget, so that a storm of applies does
// not keep reads from being converted.
//
// It must not know what a hook decides or why.
package guard

// Package guard wraps the hooks: it bounds concurrent work, applies the caller's
// deadline and records metrics.
//
// An overloaded replica answers immediately, in the form that makes each caller retry
// best (see busy.go). Each hook has its own budget, so that many concurrent applies do
// not delay the conversion of reads.
//
// It must not know what a hook decides or why.
package guard

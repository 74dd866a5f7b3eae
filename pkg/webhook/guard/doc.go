// Package guard serves the ports of gati-webhook, which every pod of a cluster may reach
// unless a NetworkPolicy forbids it.
//
// Each port has the same server: incomplete requests are counted by their bytes, and when
// these fill the room, the address that holds the most loses a connection. In front of a
// hook, a guard bounds what a review may hold and the work in progress, applies the
// caller's deadline and records metrics. An overloaded replica answers immediately, in the
// form that makes each caller retry best (review.go).
//
// It must not know what a hook decides or why, nor how certificates are made.
package guard

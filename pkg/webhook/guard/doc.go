// Package guard stands in front of the hooks: it bounds how much is worked on at
// once, gives each call the deadline of its caller, and measures.
//
// A replica that is given more than it can do says so at once, in the form in
// which each caller tries again best (see busy.go). Each hook has a budget of its
// own, so that a storm of applies does not keep reads from being converted.
//
// It must not know what a hook decides or why.
package guard

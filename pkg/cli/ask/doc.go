// Package ask makes a request of a handler, waits until it was handled, and says
// what came of it: from where to where, and how to undo it. The commands that ask
// are thin verbs over it.
//
// What a request leads to is decided by the controller alone. What is said here
// beforehand is read from the view of pkg/status; the outcome is the controller's
// own sentence.
package ask

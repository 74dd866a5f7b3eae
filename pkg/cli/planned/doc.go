// Package planned computes the children of handlers and modules as gati-webhook would,
// from the objects of a cluster. "kubectl gati diff" and "kubectl gati expand" show them.
//
// The package must not know where an object comes from, nor how its children are shown.
package planned

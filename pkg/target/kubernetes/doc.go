// Package kubernetes applies a plan to the API server by server-side apply.
//
// An object is first created, never applied, so that a foreign one of the same
// name cannot be taken over by mistake; later applies carry its uid. What stands
// already is not written again: see IsCurrent for how that is told without asking
// the server.
//
// The package must not know of handlers, versions or the reasons of a plan.
package kubernetes

// Package kubernetes applies a plan to the API server by server-side apply.
//
// An object is first created, never applied, so that a foreign one of the same name cannot
// be taken over by mistake; later applies carry its uid. Current objects are not written
// again: IsCurrent recognizes them without a request to the server.
//
// The package must not know of handlers, versions or the reasons of a plan.
package kubernetes

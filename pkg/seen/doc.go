// Package seen holds what was observed of a handler's or module's workloads, as plain
// data, and what follows from it without deciding anything.
//
// It is pure: pkg/observe reads the objects, pkg/decide uses them. The package must not
// know of clients, nor what becomes of a workload.
package seen

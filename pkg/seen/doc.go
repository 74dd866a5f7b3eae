// Package seen holds the observations of a handler's or module's workloads as plain
// data, and values computed from them without a decision.
//
// It is pure: pkg/observe reads the objects, pkg/decide uses them. The package must not
// know of clients, nor how a workload will change.
package seen

// Package records decides which version of which handler a GatiVersion records, and
// elects one of several records of the same version.
//
// It is pure: records and handlers come in as data. The package must not know of
// clients, workloads or traffic.
package records

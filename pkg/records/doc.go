// Package records decides which GatiVersion is the record of which version of
// which handler, and which one counts when there are several.
//
// It is pure: records and handlers come in as data. The package must not know of
// clients, workloads or traffic.
package records

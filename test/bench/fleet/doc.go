// Package fleet measures what many handlers cost a cluster: "make bench-fleet". One run
// on one devcluster brings up a bare client that creates the children itself, one that
// creates Deployments alone, and Gati, so that their figures can be compared. Its test
// is the same with few handlers, and holds counts, never times. It must not know how
// Gati does its work.
package fleet

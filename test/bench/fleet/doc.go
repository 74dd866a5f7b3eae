// Package fleet measures what many handlers cost a cluster: "make bench-fleet". To
// compare figures, one run on one devcluster starts a bare client that creates the
// children itself, a client that creates Deployments only, and Gati. Its test does the
// same with few handlers, and checks counts, never times. It must not know how Gati
// works internally.
package fleet

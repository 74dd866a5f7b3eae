// Package diff is the command "kubectl gati diff": which children an apply of
// manifests would change.
//
// The API server says in a dry run what an apply makes of the objects; what follows
// from that is computed by the functions that the controllers run: pkg/admit,
// pkg/decide, and the comparison of pkg/target/kubernetes. The package must not know
// what a child looks like, and writes nothing.
package diff

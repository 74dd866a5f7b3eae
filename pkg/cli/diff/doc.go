// Package diff is the command "kubectl gati diff": it shows which children an apply of
// manifests would change.
//
// A server-side dry run returns the applied objects. The functions of the controllers
// compute the rest: pkg/admit, pkg/decide, and the comparison of pkg/target/kubernetes.
// The package writes nothing and must not know how children are built.
package diff

// Package gitops is the target that commits plans to a Git repository. Flux, Argo CD or
// another tool applies them to the cluster.
//
// Children are read from the cluster: a commit is done once they show it. What others
// change there is told, and put back by that tool alone. The package must not know why a
// plan is as it is, nor how a repository is reached (pkg/target/gitops/repository).
package gitops

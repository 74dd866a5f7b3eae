// Package gitops is the target that commits plans to a Git repository. Flux, Argo CD or
// another tool applies them to the cluster.
//
// Children are read from the cluster: a commit is done once they show it. Changes by other
// managers are reported; the tool alone reverts them. The package must not know the reasons
// of a plan, nor how a repository is reached (pkg/target/gitops/repository).
package gitops

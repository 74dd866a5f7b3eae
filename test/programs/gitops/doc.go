// Package gitops holds what Argo CD and Flux make of a handler in each of its states:
// Argo CD's own runtime runs the health script that we ship, kstatus is Flux's library.
// It also reads the ApplicationSet of the target gitops with Argo CD's types.
//
// It is a Go module of its own: Argo CD brings hundreds of modules, and other versions of
// those of Kubernetes, so it reads the states from a file.
package gitops
